package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/disk"
)

// HoldBases keeps the packs that the plain files were written from within
// reach, so that Renew can bring them back.
func (w *World) HoldBases() error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	pinned, err := w.pinned()
	if err != nil {
		return err
	}
	for hash := range pinned {
		f, err := os.Open(w.keptPack(hash))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("hold the bases of the plain files: %w", err)
		}
		w.bases = append(w.bases, f)
	}
	return nil
}

// Renew puts back into .worldfs what belongs there, when somebody has removed
// it all: state.db, the published pack, the bases of the plain files and the
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
	for i, f := range w.bases {
		again, err := putBack(f)
		if err != nil {
			w.log.Warn("a base of the plain files could not be put back", "error", err)
			continue
		}
		w.bases[i] = again
	}
	w.keptDurably = [32]byte{} // it may have been removed and kept once more since
	w.keepDurably(w.pack)
	if err := w.tells.log.Renew(); err != nil {
		w.log.Warn("the history could not be put back", "error", err)
	}
	return nil
}

// LogIsThere reports whether the log of state.db lies where the next process will
// look for it. Where it does not, Renew has all that it holds put back.
func (w *World) LogIsThere() bool { return w.store.LogIsThere() }

// putBack writes a file that was removed to where it was, and returns it open
// instead of the removed one, which takes its room for as long as that is open.
func putBack(f *os.File) (*os.File, error) {
	if _, err := os.Lstat(f.Name()); err == nil {
		return f, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	if err := (&disk.Disk{}).WriteAtomic("kept pack", f.Name(), data, 0o600); err != nil {
		return nil, err
	}
	again, err := os.Open(f.Name())
	if err != nil {
		return nil, err
	}
	_ = f.Close() // it was open for reading: nothing can be lost
	return again, nil
}
