package table

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/textcodec"
)

// lostText is a text that another takes the place of, for the history.
type lostText struct {
	text []byte // nil for none
	why  string // it is not merged
}

// Why a text could not be merged with what takes its place.
const (
	lostMarks  = "it had conflict markers that do not stand about whole properties"
	lostBroken = "it did not parse, and what came in took its place"
)

// markedTexts are the texts with conflict markers that entities have their values of: what
// the history says was, where one changes.
type markedTexts map[entity.ID][]byte

// set has an entity have its values of a text, which may have no conflict in it.
func (m markedTexts) set(id entity.ID, text []byte) {
	if textcodec.HasMarkers(text) {
		m[id] = bytes.Clone(text)
	} else {
		delete(m, id)
	}
}

// noteMarksLocked notes that an edit has left a conflict in a text from which the same values
// are read as before, or has taken one out. Where a crash may have come between, the history
// says whether there was one. The caller has mu.
func (f *Feed) noteMarksLocked(id entity.ID, s *slot, text []byte, e *entity.Entity) {
	was, doubtful := f.marked[id], s.loaded == loadedNew
	if was == nil && !textcodec.HasMarkers(text) && !doubtful || bytes.Equal(was, text) {
		return
	}
	n := event{Entry: f.entry(id, history.Marked, f.causeLocked(s)), was: e, doubtful: doubtful}
	n.Note, n.Was, n.Is = "", was, text
	f.noteLocked(n)
}

// isUnmarked reports whether an event is about conflicts in a text and there are none, neither
// before nor after it.
func (n event) isUnmarked() bool {
	return n.Kind == history.Marked && !textcodec.HasMarkers(n.Was) && !textcodec.HasMarkers(n.Is)
}

// takeMarks has what was before an event be what the history has last of the entity, where
// that has conflicts marked in it and the same values: after a crash only the history knows it.
func (n *event) takeMarks(last history.Entry) {
	tells := last.Kind == history.Changed || last.Kind == history.Marked
	if !n.doubtful || n.was == nil || n.Was != nil || !tells || !textcodec.HasMarkers(last.Is) {
		return
	}
	if res, err := textcodec.Decode(last.Is, n.ID, entity.NewTypes(n.was.Layout.Type)); err == nil && res.Entity.Same(n.was) {
		n.Was = last.Is
	}
}

// keepMarks has the changes keep the conflicts that are marked in the files and that they do
// not decide. Where they cannot, the text says so, and the history has the old one.
func (in *Intake) keepMarks() error {
	for id, c := range in.changes {
		if !c.Keeps {
			continue
		}
		marked := [][]byte{c.Beside}
		if in.table.isInDoubt(id) {
			text, err := in.view.Text(id)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			marked = append(marked, text)
		}
		marked = slices.DeleteFunc(marked, func(text []byte) bool { return !textcodec.HasMarkers(text) })
		if len(marked) > 0 {
			c = c.remarked(in.view.types, marked)
		}
		broken, err := in.brokenText(id)
		if err != nil {
			return err
		}
		if broken != nil && !c.Mends {
			c = c.insteadOf(broken)
		}
		in.changes[id] = c
	}
	return nil
}

// brokenText returns the text of an entity's file if it does not parse, else nil.
func (in *Intake) brokenText(id entity.ID) ([]byte, error) {
	in.table.mu.RLock()
	s := in.table.slots[id]
	broken := s != nil && s.problem && s.file != nil
	in.table.mu.RUnlock()
	if !broken {
		return nil, nil
	}
	text, err := in.view.Text(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// insteadOf returns a change whose text says, where it has no other conflict in it, that it has
// taken the place of one that someone was writing.
func (c Change) insteadOf(broken []byte) Change {
	c.lost = lostText{broken, lostBroken}
	if !textcodec.HasMarkers(c.Text) {
		m := textcodec.Marks{Ours: "yours", Theirs: "shared", Whole: textcodec.InHistory("a text that did not parse", c.Entity.ID)}
		c.Text = textcodec.AppendMarked(nil, c.Entity, m)
	}
	return c
}

// remarked returns a change that keeps the conflicts marked in texts.
func (c Change) remarked(types *entity.Types, marked [][]byte) Change {
	text := c.Text
	if text == nil {
		text = textcodec.Append(nil, c.Entity)
	}
	remark := textcodec.Remark
	if c.Blind {
		remark = textcodec.RemarkUndecided
	}
	kept, err := remark(text, c.Entity.ID, types, marked...)
	if err != nil {
		m := textcodec.Marks{Ours: "yours", Theirs: "shared", Whole: textcodec.InHistory("a conflict of before", c.Entity.ID)}
		kept, c.lost = textcodec.AppendMarked(nil, c.Entity, m), lostText{marked[len(marked)-1], lostMarks}
	}
	if c.Text = kept; !textcodec.HasMarkers(kept) {
		c.Text = nil
	}
	return c
}
