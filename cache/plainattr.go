package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/fileattr"
	"github.com/worldfs/worldfs/internal/state"
)

const (
	defaultMode = 0o644 // of a file whose mode was never set
	ownerBits   = 0o700
)

// plainAttr is what the world takes over of a plain file beside its bytes.
type plainAttr struct {
	mode  uint32 // permissions
	mtime time.Time
}

// takeAttrs gives files the modes and times that their plain files have. Of a mode
// that is what the owner may do: it is what version control knows, the rest is the
// umask's. A time is taken over where the text is the file's.
func (t *plainTaking) takeAttrs() error {
	set := false
	for id, a := range t.scan.attrs {
		did, err := t.takeAttr(id, a)
		if err != nil {
			return fmt.Errorf("take in attributes of plain files: %w", err)
		}
		set = set || did
	}
	if !set {
		return nil
	}
	return t.world.commit() // the plain files' stamps, which follow, say that it is done
}

// takeAttr takes over the attributes of one plain file, and tells whether any are other
// than they were. What follows from the file's stamp is let alone.
func (t *plainTaking) takeAttr(id entity.ID, a plainAttr) (set bool, err error) {
	have, own, ok := t.world.attrOf(id)
	if !ok {
		return false, nil
	}
	_, changed := t.changes[id] // alter has set the time
	var c AttrChange
	if (have.Mode^a.mode)&ownerBits != 0 {
		c.Mode = &a.mode
	}
	setsTime := own && !changed && !have.Mtime.Equal(a.mtime) && t.retimed(id, a) || !own && (c.Mode != nil || t.parted[id] || !state.IsStampTime(a.mtime))
	if c.Mode == nil && !setsTime {
		return false, nil
	}
	f, err := t.world.Lookup(id)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if setsTime {
		if c.Mtime, err = t.timeFor(id, f, own); err != nil {
			return false, err
		}
	}
	if c == (AttrChange{}) {
		return false, nil
	}
	return true, f.SetAttr(c)
}

// retimed reports whether a plain file's mtime is another than its stamp has. If it is
// not, what the world has was set since. Archives keep whole seconds: such a copy was
// not retimed.
func (t *plainTaking) retimed(id entity.ID, a plainAttr) bool {
	known, ok := t.scan.known[id]
	was := time.Unix(0, known.Mtime)
	return !ok || !a.mtime.Equal(was) && !a.mtime.Equal(was.Truncate(time.Second))
}

// timeFor returns the time that a file gets from its plain file: that one's where
// their bytes are the same. Else it keeps its own, but must not follow the stamp.
func (t *plainTaking) timeFor(id entity.ID, f *File, own bool) (*time.Time, error) {
	text, _, err := f.bytes()
	switch {
	case err != nil:
		return nil, err
	case sha256.Sum256(text) == t.scan.stamps[id].Hash:
		mtime := t.scan.attrs[id].mtime
		return &mtime, nil
	case own:
		return nil, nil
	}
	now := fileattr.FileTime(f.unsized().Mtime)
	return &now, nil
}

// attrOf returns the attributes of an entity's file, if there is one, but for its size,
// and whether it has any of its own. It makes no File for one that was never touched.
func (w *World) attrOf(id entity.ID) (a fileattr.Attr, own, ok bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	s := w.slots[id]
	switch {
	case s == nil:
		return w.defaultAttr(), false, w.pack.Has(id)
	case s.file == nil:
		return a, false, false
	}
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	return s.file.attrs(), s.file.own != nil, true
}

// isModeInStep reports whether a plain file may have the mode have where the
// world says want. One that was never set says nothing about what the umask has
// made of the plain file's.
func isModeInStep(have, want uint32) bool {
	return have == want || want == defaultMode && (have^want)&ownerBits == 0
}

// bringAttrs gives a plain file with the right bytes the mode and the time that its
// entity's file has.
func (p *plainWriter) bringAttrs(id entity.ID, f *File, path string, st *unix.Stat_t, known state.Stamp) error {
	want := f.unsized()
	mode, retime := want.Mode&0o777, !want.Mtime.Equal(fileattr.TimeOf(st.Mtim))
	if isModeInStep(st.Mode&0o777, mode) {
		if !retime {
			return nil
		}
		mode = st.Mode & 0o777
	}
	if retime {
		if edited, err := retimeFile(path, want.Mtime, known.Hash); edited || err != nil {
			p.skipped = append(p.skipped, id) // the next TakePlain takes it in
			return err
		}
	}
	if mode != st.Mode&0o777 {
		if err := os.Chmod(path, fs.FileMode(mode)); err != nil {
			return err
		}
	}
	if err := unix.Lstat(path, st); err != nil {
		return &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	now := state.StampOf(fileattr.StampOf(st), time.Now(), known.Hash)
	now.Base = known.Base
	p.stamps[id] = now
	return nil
}

// retimeFile sets the mtime of a plain file that holds bytes of this hash. An edit that
// came in between would be hidden by that: then edited is true, and the file shows that
// it has changed.
func retimeFile(path string, mtime time.Time, hash [32]byte) (edited bool, err error) {
	if err := fileattr.SetMtime(path, mtime); err != nil {
		return false, &fs.PathError{Op: "utimensat", Path: path, Err: err}
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) { // its stamp stays, so the file is looked at again
		return true, nil
	}
	if err != nil || sha256.Sum256(text) == hash {
		return false, err
	}
	return true, fileattr.SetMtime(path, time.Now())
}
