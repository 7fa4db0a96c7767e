package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/storage/table"
	"github.com/worldfs/worldfs/textcodec"
)

// While nothing is mounted a game can save, and a person edit a text of the same entity, before
// any command looks. The save comes in first. The text was written without knowing of it: a
// conflict that the save has left is not decided by a text that lacks its markers; and a text
// that does not parse is merged, once it does, against what it was made of.

// lacksMarks returns the text in which conflicts are marked that the text of a file lacks
// because they were left after the file was read or written last, nil for none.
func (t *plainTaking) lacksMarks(id entity.ID) ([]byte, error) {
	known, ok := t.scan.Known[id]
	if !ok {
		return nil, nil
	}
	served, err := t.view.Text(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if sha256.Sum256(served) == known.Hash {
		return t.marksOfBroken(id, known, served)
	}
	if !textcodec.HasMarkers(served) {
		return nil, nil
	}
	return served, nil
}

// marksOfBroken is lacksMarks where the file's last text, which is served, did not parse, and
// was kept with the marks beside it (see baseOfBroken).
func (t *plainTaking) marksOfBroken(id entity.ID, known state.Stamp, served []byte) ([]byte, error) {
	if known.Base != state.BaseOwn {
		return nil, nil
	}
	if _, broken := textcodec.Decode(served, id, t.view.Types()); broken == nil {
		return nil, nil
	}
	own, err := t.world.store.OwnText(id)
	if err != nil {
		return nil, fmt.Errorf("read what a plain file held: %w", err)
	}
	if bytes.Equal(own, served) || !textcodec.HasMarkers(own) {
		return nil, nil
	}
	return own, nil
}

// part has the world have something else than a file has, but for the conflicts that are
// marked in the file, and with those that it lacks.
func (t *plainTaking) part(id entity.ID, e *entity.Entity, lacks []byte) {
	t.parted[id] = true
	if c, changed := t.changes[id]; changed {
		c.Mends = true
		t.changes[id] = c
	}
	marked := textcodec.HasMarkers(t.scan.Texts[id])
	if e == nil && marked {
		t.spare(id)
	}
	if e == nil || !marked && lacks == nil && !t.world.control.IsInDoubt(id) {
		return
	}
	c, changed := t.changes[id]
	if !changed {
		c = change{Entity: e, Keeps: true, Mends: true}
	}
	if marked {
		c.Beside = t.scan.Texts[id]
		// What the world has instead was made without knowing of them, too.
		if text, err := textcodec.MarkAnew(e, t.view.Types(), c.Beside); err == nil {
			c.Beside = text
		}
	}
	if lacks != nil && c.Text == nil {
		// Where the marks cannot stand in it, keeping them says so.
		if text, err := textcodec.MarkAnew(e, t.view.Types(), lacks); err == nil && textcodec.HasMarkers(text) {
			c.Text = text
		}
	}
	t.changes[id] = c
}

// spare has an entity stay that was deleted here without knowing of the conflicts marked in its
// file (see World.spare).
func (t *plainTaking) spare(id entity.ID) {
	if other, marked := textcodec.MarkDeleted(t.scan.Texts[id], t.theirs[id], t.view.Types()); other != nil {
		t.changes[id] = change{Entity: other, Text: marked, Mends: true}
		t.world.keepMarksLocked(map[entity.ID][]byte{id: marked})
	}
}

// baseOfBroken returns what the text of a file that does not parse was made of, with the
// conflicts that it lacks, nil where the world has nothing else.
func (t *plainTaking) baseOfBroken(base *plainBase, id entity.ID) ([]byte, error) {
	if _, known := t.scan.Known[id]; !known {
		return nil, nil
	}
	was, err := base.entity(id)
	if was == nil || err != nil {
		return nil, err
	}
	lacks, err := t.lacksMarks(id)
	if err != nil {
		return nil, err
	}
	if is, ok := t.view.Get(id); lacks == nil && ok && is.Equal(was) && table.SameType(is, was) {
		return nil, nil
	}
	if lacks != nil {
		if text, err := textcodec.MarkAnew(was, t.view.Types(), lacks); err == nil {
			return text, nil
		}
	}
	return textcodec.Append(nil, was), nil
}

// basesOfBroken is baseOfBroken of all files that do not parse.
func (t *plainTaking) basesOfBroken() (bases map[entity.ID][]byte, err error) {
	var known *plainBase
	bases = make(map[entity.ID][]byte)
	for id, c := range t.changes {
		if c.Entity != nil || c.Gone || t.scan.Texts[id] == nil {
			continue
		}
		if known == nil {
			if known, err = t.world.openPlainBase(t.view, t.scan.Known); err != nil {
				return nil, err
			}
		}
		text, err := t.baseOfBroken(known, id)
		if err != nil {
			return nil, err
		}
		if text != nil {
			bases[id] = text
		}
	}
	return bases, nil
}
