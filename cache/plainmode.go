package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
)

const (
	defaultMode = 0o644 // of a file whose mode was never set
	ownerBits   = 0o700
)

// takeModes gives files the modes that their plain files have, where the owner
// may do more with one than with the other: that is the part of a mode that
// version control knows. The rest is the umask's, and is let alone.
func (w *World) takeModes(modes map[entity.ID]uint32) error {
	set := false
	for id, mode := range modes {
		if have, ok := w.modeOf(id); !ok || (have^mode)&ownerBits == 0 {
			continue
		}
		f, err := w.Lookup(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if err := f.SetAttr(AttrChange{Mode: &mode}); err != nil {
			return fmt.Errorf("take in modes of plain files: %w", err)
		}
		set = true
	}
	if !set {
		return nil
	}
	return w.commit() // the plain files' stamps, which follow, say that it is done
}

// modeOf returns the mode of an entity's file, if there is one. It makes no File for
// one that was never touched.
func (w *World) modeOf(id entity.ID) (mode uint32, ok bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	s := w.slots[id]
	switch {
	case s == nil:
		return defaultMode, w.pack.Has(id)
	case s.file == nil:
		return 0, false
	}
	return s.file.unsized().Mode, true
}

// isModeInStep reports whether a plain file may have the mode have where the
// world says want. One that was never set says nothing about what the umask has
// made of the plain file's.
func isModeInStep(have, want uint32) bool {
	return have == want || want == defaultMode && (have^want)&ownerBits == 0
}

// chmod brings the mode of a file in step that is so otherwise.
func (p *plainWriter) chmod(id entity.ID, path string, st *unix.Stat_t, known stamp) error {
	f, err := p.view.world.Lookup(id)
	if err != nil {
		return err
	}
	have, want := st.Mode&0o777, f.unsized().Mode&0o777
	if isModeInStep(have, want) {
		return nil
	}
	if err := os.Chmod(path, fs.FileMode(want)); err != nil {
		return err
	}
	if err := unix.Lstat(path, st); err != nil {
		return &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	now := stampOf(fileStampOf(st), time.Now(), known.hash)
	now.base = known.base
	p.stamps[id] = now
	return nil
}
