package daemon

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// unmount ends the mount. While it is busy and not forced, the error is a
// *BusyError and the world stays mounted.
func (d *daemon) unmount(force bool) error {
	defer d.vcs.Hold(!force)()
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.done:
		return d.err
	default:
	}
	reserve := d.dir.Reserve()
	if err := errors.Join(d.renewer.lookLocked(), reserve.Spend(d.world.Sync)); err != nil {
		if !force {
			return d.stays(err)
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
	if err == nil || !mounts.Mounted(path) {
		return nil
	}
	found := mounts.Holders(path)
	switch {
	case force:
		d.log.Warn("detaching a busy mount", "holders", fmt.Sprint(found))
		d.mount.SealAnyway()
		return d.leave(force)
	case len(found) == 0 && !errors.Is(err, syscall.EBUSY):
		return fmt.Errorf("unmount %s: %w", path, err)
	case !mounts.AllStandOnly(found) || d.mount.Seal() != nil:
		return &BusyError{Mount: path, Holders: slices.DeleteFunc(found, mounts.Holder.StandsOnly)}
	}
	d.log.Info("detaching a mount that processes stand in", "holders", fmt.Sprint(found))
	if err := d.leave(force); err != nil {
		return err
	}
	d.how.Standing = found
	return nil
}

// leave detaches a sealed mount, when all that was written to it is durable and
// published. If that fails, and is not forced, the world stays mounted and can be
// written to again.
func (d *daemon) leave(force bool) error {
	var err error
	if !force { // what was there before the seal is synced; the end of the world does the rest
		err = d.dir.Reserve().Spend(d.world.Sync)
	}
	if err == nil {
		err = d.mount.Detach()
	}
	if err != nil && mounts.Mounted(d.record.Mount) {
		d.mount.Unseal()
		return d.stays(err)
	}
	return nil
}

// finish brings the plain files back and gives the world up.
func (d *daemon) finish() error {
	d.calls.Lock()
	defer d.calls.Unlock()
	d.closed = true
	err := d.dir.Reserve().Spend(d.plain.End)
	if showErr := d.mount.ShowPlain(d.dir.EntitiesPath()); showErr != nil {
		d.log.Warn("processes that stand in the mount see nothing there", "error", showErr)
	}
	d.removeAgain()
	err = errors.Join(err, d.world.Close())
	_ = fillReserve(d.dir) // the next that opens the world tries again
	d.hangUp()
	d.unlock()
	return errors.Join(err, d.beneath.close())
}
