package daemon

import (
	"os"
	"path/filepath"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// plainPatience is how long plain files that are missing are waited for to come
// back, once entities/ is quiet: a checkout removes all before it writes them.
const plainPatience = 10 * time.Second

// awaitPlain waits for plain files of which most are missing, and takes in what came
// back. It returns a *cache.LossError if they are there to miss.
func (l *local) awaitPlain() error {
	for l.lost != nil {
		if err := l.recover(); err != nil {
			return err
		}
		if wait := plainPatience - time.Since(l.plain.lastName()); l.lost != nil && wait <= 0 {
			return cache.AsLoss(l.lost)
		} else if l.lost != nil {
			time.Sleep(min(wait, 500*time.Millisecond))
		}
	}
	return nil
}

// lastName returns when a name in entities/ or in its shards changed last.
func (f plainTree) lastName() (at time.Time) {
	entities := f.dir.EntitiesPath()
	dirs := []string{entities}
	names, _ := os.ReadDir(entities) // without it there is nothing to wait for
	for _, e := range names {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(entities, e.Name()))
		}
	}
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}

// Sync makes everything durable and publishes it.
func (l *local) Sync() error {
	if err := l.awaitPlain(); err != nil {
		return err
	}
	return l.service.Sync()
}

// Check returns the findings that would stop a ship build.
func (l *local) Check() ([]entity.Finding, error) {
	if err := l.awaitPlain(); err != nil && !cache.IsLoss(err) { // of a loss there is a finding
		return nil, err
	}
	return l.service.Check()
}

// Ship returns the pack of a ship build.
func (l *local) Ship() ([]byte, []entity.Finding, error) {
	if err := l.awaitPlain(); err != nil && !cache.IsLoss(err) {
		return nil, nil, err
	}
	return l.service.Ship()
}

// Restore makes the world what it is in a kept pack; plain files that are missing
// come back.
func (l *local) Restore(t cache.Target) (cache.Restored, error) {
	l.world.KeepPlain()
	r, err := l.service.Restore(t)
	if err == nil {
		err = l.bringBack()
	}
	return r, err
}

// Unpack writes every entity's text into the directory to; for "" it brings the
// plain files in entities/ up to date, with those that are missing.
func (l *local) Unpack(to string) (int, error) {
	if to != "" {
		return l.service.Unpack(to)
	}
	l.world.KeepPlain()
	written, err := l.service.Unpack("")
	if err == nil {
		l.lost = nil
	}
	return written, err
}

// bringBack writes the plain files that are missing, where a great loss waited.
func (l *local) bringBack() error {
	if l.lost == nil || l.plain.crashed() {
		return nil
	}
	_, err := l.Unpack("")
	return err
}

// readable returns the world as it is now where a great loss keeps it from being
// published.
func (d *daemon) readable() (a readAnswer, err error) {
	a.Pack, err = d.world.Pack()
	return a, err
}

// awaiting is what do returns once no great loss is waited for to come back.
func awaiting[C, A any](d *daemon, do func(C) (A, error)) func(C) (A, error) {
	return func(c C) (A, error) {
		d.world.AwaitNames(d.ended)
		return do(c)
	}
}

// sync makes everything durable and publishes it, at once what is meant to be lost.
func (d *daemon) sync(c syncCall) (nothing, error) {
	if c.AllowLoss {
		return nothing{}, d.world.AcceptLoss()
	}
	d.world.AwaitNames(d.ended)
	return nothing{}, d.Sync()
}

// endAllowance publishes what is meant to be lost, if anything is, before the mount
// begins: nothing else is.
func (d *daemon) endAllowance(allowed bool) error {
	if !allowed {
		return nil
	}
	d.world.SetLossAllowed(false)
	return d.world.AcceptLoss()
}

// resolveLoss publishes what is meant to be lost, or waits for it to come back, before
// the mount ends.
func (d *daemon) resolveLoss(allow bool) error {
	if !allow {
		d.world.AwaitNames(d.ended)
		return nil
	}
	_, err := with(d, func() (nothing, error) { return nothing{}, d.world.AcceptLoss() })
	return err
}
