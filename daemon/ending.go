package daemon

import (
	"errors"
	"fmt"
	"syscall"
)

// unmount ends the mount. While it is busy and not forced, the error is a
// *BusyError and the world stays mounted.
func (d *daemon) unmount(force bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.done:
		return d.err
	default:
	}
	if err := errors.Join(d.keeper.lookLocked(), d.world.Sync()); err != nil {
		if !force {
			return fmt.Errorf("unmount: %w", err)
		}
		d.log.Error("sync before unmount", "error", err)
	}
	if err := d.detach(force); err != nil {
		return err
	}
	d.err = d.finish()
	close(d.done)
	return d.err
}

// detach makes the kernel let go of the mount.
func (d *daemon) detach(force bool) error {
	select {
	case <-d.ended: // fusermount -u, or umount
		return nil
	default:
	}
	path := d.record.Mount
	err := d.mount.Unmount()
	if err == nil || !mounted(path) {
		return nil
	}
	if force {
		d.log.Warn("detaching a busy mount", "holders", fmt.Sprint(holders(path)))
		return lazyUnmount(path)
	}
	if who := holders(path); len(who) > 0 || errors.Is(err, syscall.EBUSY) {
		return &BusyError{Mount: path, Holders: who}
	}
	return fmt.Errorf("unmount %s: %w", path, err)
}

// finish brings the plain files back and gives the world up.
func (d *daemon) finish() error {
	d.calls.Lock()
	defer d.calls.Unlock()
	d.closed = true
	err := d.faces.back()
	d.removeAgain()
	err = errors.Join(err, d.world.Close())
	d.hangUp()
	d.unlock()
	return errors.Join(err, d.beneath.close())
}
