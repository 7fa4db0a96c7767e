package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/storage/state"
)

// takeAttrs gives files the modes and times that their plain files have. Of a mode
// that is what the owner may do: it is what version control knows, the rest is the
// umask's. A time is taken over where the text is the file's.
func (t *plainTaking) takeAttrs() error {
	set := false
	for id, a := range t.scan.Attrs {
		did, err := t.takeAttr(id, a)
		if err != nil {
			return fmt.Errorf("take in attributes of plain files: %w", err)
		}
		set = set || did
	}
	if !set {
		return nil
	}
	return t.world.control.Commit() // the plain files' stamps, which follow, say that it is done
}

// takeAttr takes over the attributes of one plain file, and reports whether any are other
// than they were. What follows from the file's stamp is let alone.
func (t *plainTaking) takeAttr(id entity.ID, a plainfiles.Attr) (set bool, err error) {
	have, own, ok := t.world.control.AttrOf(id)
	if !ok {
		return false, nil
	}
	_, changed := t.changes[id] // alter has set the time
	var c AttrChange
	if (have.Mode^a.Mode)&plainfiles.OwnerBits != 0 {
		c.Mode = &a.Mode
	}
	setsTime := own && !changed && !have.Mtime.Equal(a.Mtime) && t.retimed(id, a) || !own && (c.Mode != nil || t.parted[id] || !state.IsStampTime(a.Mtime))
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
func (t *plainTaking) retimed(id entity.ID, a plainfiles.Attr) bool {
	known, ok := t.scan.Known[id]
	was := time.Unix(0, known.Mtime)
	return !ok || !a.Mtime.Equal(was) && !a.Mtime.Equal(was.Truncate(time.Second))
}

// timeFor returns the time that a file gets from its plain file: that one's where
// their bytes are the same. Else it keeps its own, but must not follow the stamp.
func (t *plainTaking) timeFor(id entity.ID, f *File, own bool) (*time.Time, error) {
	text, err := f.PlainText()
	switch {
	case err != nil:
		return nil, err
	case sha256.Sum256(text) == t.scan.Stamps[id].Hash:
		mtime := t.scan.Attrs[id].Mtime
		return &mtime, nil
	case own:
		return nil, nil
	}
	now := fileattr.FileTime(f.PlainAttr().Mtime)
	return &now, nil
}
