package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// keeper sees to it that .worldfs is there while the world is mounted. A command
// that clears the world directory of all that is local (git clean -fdx) removes it
// under the daemon, which loses nothing: the edits are behind its descriptors,
// and scratch lies beneath the mount.
type keeper struct {
	d       *daemon
	lock    fs.FileInfo       // the files as they were when they were made; guarded by daemon.mu
	state   fs.FileInfo       // likewise
	watcher *fsnotify.Watcher // nil: the kernel sends no events
}

// When the keeper looks: soon after something was removed, and now and then.
const (
	keeperQuiet = 200 * time.Millisecond
	keeperIdle  = 5 * time.Second
)

// newKeeper returns the keeper of a mounted world, nil where it cannot be looked
// after.
func (d *daemon) newKeeper() *keeper {
	k := &keeper{d: d}
	if err := k.remember(); err != nil {
		d.log.Error("local state is not looked after", "error", err)
		return nil
	}
	return k
}

// watchState has local state looked after.
func (d *daemon) watchState() {
	d.mu.Lock()
	d.keeper = d.newKeeper()
	k := d.keeper
	d.mu.Unlock()
	if k != nil {
		go k.keep()
	}
}

// keep is the keeper's life, until the mount has ended.
func (k *keeper) keep() {
	d := k.d
	if err := d.world.Log().Hold(); err != nil {
		d.log.Warn("the history is not looked after", "error", err)
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		d.log.Warn("the kernel does not tell when local state is removed; it is looked for instead", "error", err)
	} else {
		k.watcher = watcher
		defer func() { _ = watcher.Close() }()
	}
	k.watch()
	timer := time.NewTimer(keeperIdle)
	defer timer.Stop()
	for {
		select {
		case <-d.done:
			return
		case e := <-k.events():
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				timer.Reset(keeperQuiet)
			}
			continue
		case <-timer.C:
		}
		if err := k.look(); err != nil {
			d.log.Error("put local state back", "error", err)
			timer.Reset(keeperQuiet)
			continue
		}
		timer.Reset(keeperIdle)
	}
}

func (k *keeper) events() <-chan fsnotify.Event {
	if k.watcher == nil {
		return nil
	}
	return k.watcher.Events
}

// watch asks the kernel for events of what is removed.
func (k *keeper) watch() {
	if k.watcher == nil {
		return
	}
	for _, path := range []string{k.d.dir.Place(), k.d.dir.StatePath()} {
		if err := k.watcher.Add(path); err != nil {
			k.d.log.Warn("watch local state", "error", err)
		}
	}
}

func (k *keeper) remember() (err error) {
	if k.lock, err = os.Lstat(k.d.dir.LockPath()); err != nil {
		return err
	}
	k.state, err = os.Lstat(k.d.dir.DBPath())
	return err
}

// whole reports whether all is there that the daemon needs.
func (k *keeper) whole() bool {
	dir := k.d.dir
	for path, was := range map[string]fs.FileInfo{dir.LockPath(): k.lock, dir.DBPath(): k.state} {
		if info, err := os.Lstat(path); err != nil || !os.SameFile(info, was) {
			return false
		}
	}
	for _, path := range []string{dir.DaemonPath(), dir.PacksPath()} {
		if _, err := os.Lstat(path); err != nil {
			return false
		}
	}
	return k.d.world.LogIsThere()
}

// look puts back what is missing, unless the mount has ended.
func (k *keeper) look() error {
	k.d.mu.Lock() // so that the mount does not end meanwhile
	defer k.d.mu.Unlock()
	select {
	case <-k.d.done:
		return nil
	default:
		return k.lookLocked()
	}
}

// lookLocked is look while the caller holds daemon.mu and the mount has not ended.
// The end of a mount begins with it: what is not put back by then is lost.
func (k *keeper) lookLocked() error {
	if k == nil || k.whole() {
		return nil
	}
	d := k.d
	d.log.Warn("local state was removed under the mount; it is made anew")
	if err := d.relock(k.lock); err != nil {
		return err
	}
	var err error
	if k.lock, err = os.Lstat(d.dir.LockPath()); err != nil { // what follows may fail, and be done again
		return err
	}
	if err := d.world.Renew(); err != nil {
		return err
	}
	if err := d.markMounted(); err != nil {
		return err
	}
	if err := writeRecord(d.dir, d.record); err != nil {
		return err
	}
	if err := k.remember(); err != nil {
		return err
	}
	k.watch()
	return d.world.Sync() // world.pack may be gone, too
}

// relock takes the lock anew where its file was removed: another process could
// take a new one. The old one goes once there is the new.
func (d *daemon) relock(was fs.FileInfo) error {
	if info, err := os.Lstat(d.dir.LockPath()); err == nil && os.SameFile(info, was) {
		return nil
	}
	if err := d.dir.EnsureState(); err != nil {
		return err
	}
	unlock, err := d.dir.Lock()
	if err != nil {
		return err
	}
	d.unlock()
	d.unlock = unlock
	if d.reopenLog != nil {
		if err := d.reopenLog(); err != nil {
			d.log.Warn("reopen log", "error", err)
		}
	}
	return nil
}

// markMounted makes .worldfs/plain anew where there was one. It is empty: the
// files are written when the mount ends.
func (d *daemon) markMounted() error {
	if !d.hadPlain {
		return nil
	}
	if err := os.Mkdir(d.dir.PlainPath(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("put local state back: %w", err)
	}
	return nil
}

// reopenLog makes this process, whose output is the world's log, go on in a new
// one.
func reopenLog(open func() (*os.File, error)) error {
	log, err := open()
	if err != nil {
		return err
	}
	defer log.Close()
	for _, fd := range []int{unix.Stdout, unix.Stderr} {
		if err := unix.Dup3(int(log.Fd()), fd, 0); err != nil {
			return fmt.Errorf("reopen log: %w", err)
		}
	}
	return nil
}
