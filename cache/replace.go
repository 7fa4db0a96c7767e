package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Replacement is a text that takes the place of an entity's.
type Replacement struct {
	ID   entity.ID `json:"id"`
	Was  []byte    `json:"was"`  // what the caller read
	Text []byte    `json:"text"` // nil: the entity goes
}

// ErrChanged says that a text is not what the caller of Replace read.
var ErrChanged = errors.New("its text was changed meanwhile, and stays as it is: try again")

// Replace has entities have texts, byte for byte, as a program does that writes their files
// in the mount: where entities have no files, conflicts that are marked in their texts can
// be settled no other way for the side whose values the entities have. All of the texts
// parse, and stand for what the caller read, or nothing is changed.
func (w *World) Replace(c Cause, texts []Replacement) error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(c)()
	if err := w.catchUpLocked(); err != nil {
		return err
	}
	v := w.snapshot(true)
	changes := make(map[entity.ID]change)
	for _, r := range texts {
		now, err := v.Text(r.ID)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil || !bytes.Equal(now, r.Was) {
			return fmt.Errorf("entity %d: %w", r.ID, ErrChanged)
		}
		if changes[r.ID], err = r.change(v.Types()); err != nil {
			return fmt.Errorf("entity %d: %w", r.ID, err)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return w.intakeLocked(v, changes)
}

// change returns what becomes of the entity.
func (r *Replacement) change(types *entity.Types) (change, error) {
	if r.Text == nil {
		return change{Gone: true}, nil
	}
	read, err := textcodec.Decode(r.Text, r.ID, types)
	if err != nil {
		return change{}, err
	}
	c := change{Entity: read.Entity}
	if !bytes.Equal(r.Text, textcodec.Append(nil, read.Entity)) {
		c.Text = r.Text
	}
	return c, nil
}
