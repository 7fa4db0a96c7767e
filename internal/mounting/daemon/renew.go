package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// renewer sees to it that .worldfs is there while the world is mounted. A command
// that clears the world directory of all that is local (git clean -fdx) removes it
// under the daemon, which loses nothing: the edits are behind its descriptors,
// and scratch lies beneath the mount.
type renewer struct {
	d       *daemon
	lock    fs.FileInfo       // the files as they were when they were made; guarded by daemon.mu
	state   fs.FileInfo       // likewise
	watcher *fsnotify.Watcher // nil: the kernel sends no events
}

// When the renewer looks: soon after something was removed, and now and then.
const (
	renewQuiet = 200 * time.Millisecond
	renewIdle  = 5 * time.Second
)

// newRenewer returns the renewer of a mounted world, nil where it cannot be looked
// after.
func (d *daemon) newRenewer() *renewer {
	r := &renewer{d: d}
	if err := r.remember(); err != nil {
		d.log.Error("local state is not looked after", "error", err)
		return nil
	}
	return r
}

// watchState has local state looked after.
func (d *daemon) watchState() {
	d.mu.Lock()
	d.renewer = d.newRenewer()
	r := d.renewer
	d.mu.Unlock()
	if r != nil {
		go r.keep()
	}
}

// keep is the renewer's life, until the mount has ended.
func (r *renewer) keep() {
	d := r.d
	if err := d.world.Log().Hold(); err != nil {
		d.log.Warn("the history is not looked after", "error", err)
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		d.log.Warn("the kernel does not tell when local state is removed; it is looked for instead", "error", err)
	} else {
		r.watcher = watcher
		defer func() { _ = watcher.Close() }()
	}
	r.watch()
	timer := time.NewTimer(renewIdle)
	defer timer.Stop()
	for {
		select {
		case <-d.done:
			return
		case e := <-r.events():
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				timer.Reset(renewQuiet)
			}
			continue
		case <-timer.C:
		}
		if err := r.look(); err != nil {
			d.log.Error("put local state back", "error", err)
			timer.Reset(renewQuiet)
			continue
		}
		timer.Reset(renewIdle)
	}
}

func (r *renewer) events() <-chan fsnotify.Event {
	if r.watcher == nil {
		return nil
	}
	return r.watcher.Events
}

// watch asks the kernel for events of what is removed.
func (r *renewer) watch() {
	if r.watcher == nil {
		return
	}
	for _, path := range []string{r.d.dir.Place(), r.d.dir.StatePath()} {
		if err := r.watcher.Add(path); err != nil {
			r.d.log.Warn("watch local state", "error", err)
		}
	}
}

func (r *renewer) remember() (err error) {
	if r.lock, err = os.Lstat(r.d.dir.LockPath()); err != nil {
		return err
	}
	r.state, err = os.Lstat(r.d.dir.DBPath())
	return err
}

// whole reports whether all is there that the daemon needs.
func (r *renewer) whole() bool {
	dir := r.d.dir
	for path, was := range map[string]fs.FileInfo{dir.LockPath(): r.lock, dir.DBPath(): r.state} {
		if info, err := os.Lstat(path); err != nil || !os.SameFile(info, was) {
			return false
		}
	}
	for _, path := range []string{dir.DaemonPath(), dir.PacksPath()} {
		if _, err := os.Lstat(path); err != nil {
			return false
		}
	}
	return r.d.world.LogIsThere()
}

// look puts back what is missing, unless the mount has ended.
func (r *renewer) look() error {
	r.d.mu.Lock() // so that the mount does not end meanwhile
	defer r.d.mu.Unlock()
	select {
	case <-r.d.done:
		return nil
	default:
		return r.lookLocked()
	}
}

// lookLocked is look while the caller holds daemon.mu and the mount has not ended.
// The end of a mount begins with it: what is not put back by then is lost.
func (r *renewer) lookLocked() error {
	if r == nil || r.whole() {
		return nil
	}
	d := r.d
	d.log.Warn("local state was removed under the mount; it is made anew")
	if err := d.relock(r.lock); err != nil {
		return err
	}
	var err error
	if r.lock, err = os.Lstat(d.dir.LockPath()); err != nil { // what follows may fail, and be done again
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
	if err := r.remember(); err != nil {
		return err
	}
	r.watch()
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
