package cache

import (
	"fmt"
	"os"
)

// HoldBases keeps the packs that the plain files were written from within
// reach, so that Renew can bring them back.
func (w *World) HoldBases() error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	return w.packs.Hold()
}

// Renew puts back into .worldfs what belongs there, when all of it was removed:
// state.db, the published pack, the bases of the plain files and the
// history, if that is held.
func (w *World) Renew() error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := os.MkdirAll(w.dir.PacksPath(), 0o700); err != nil {
		return fmt.Errorf("put local state back: %w", err)
	}
	if err := w.store.Renew(w.disk, w.dir.DBPath()); err != nil {
		return fmt.Errorf("put local state back: %w", err)
	}
	w.packs.Renew()
	w.packs.KeepDurably(w.published())
	if err := w.feed.Log().Renew(); err != nil {
		w.log.Warn("the history could not be put back", "error", err)
	}
	return nil
}

// LogIsThere reports whether the log of state.db lies where the next process will
// look for it. Where it does not, Renew has all that it holds put back.
func (w *World) LogIsThere() bool { return w.store.LogIsThere() }
