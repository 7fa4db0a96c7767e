package cache

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Mark marks conflicts in the texts of entities, as TakeIn does with those that it
// leaves: marks says which, in the world as it is at that moment. Values do not
// change. A text that has been marked already, or does not parse, stays as it is.
func (w *World) Mark(c Cause, marks func(*View) map[entity.ID]textcodec.Marks) error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	defer w.becauseLocked(c)()
	if err := w.catchUpLocked(); err != nil {
		return err
	}
	v := w.snapshot(true)
	changes := make(map[entity.ID]change)
	for id, m := range marks(v) {
		e, there := v.Get(id)
		if there && !w.keep.IsInDoubt(id) {
			changes[id] = change{entity: e, text: textcodec.AppendMarked(nil, e, m)}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return w.intakeLocked(v, changes)
}

// lostMarks is what the history says of a text whose conflicts could not be marked in
// the one that took its place.
const lostMarks = "it had conflict markers that do not stand about whole properties"

// keepMarks has changes keep the conflicts that are marked in the files and that they do
// not decide. Where they cannot, the text says so, and the history has the old one.
func (w *World) keepMarks(v *View, changes map[entity.ID]change) error {
	for id, c := range changes {
		if !c.keeps {
			continue
		}
		marked := [][]byte{c.beside}
		if w.keep.IsInDoubt(id) {
			text, err := v.Text(id)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			marked = append(marked, text)
		}
		marked = slices.DeleteFunc(marked, func(text []byte) bool { return !textcodec.HasMarkers(text) })
		if len(marked) > 0 {
			changes[id] = c.remarked(v.Types(), marked)
		}
	}
	return nil
}

// remarked returns a change that keeps the conflicts marked in texts.
func (c change) remarked(types *entity.Types, marked [][]byte) change {
	text := c.text
	if text == nil {
		text = textcodec.Append(nil, c.entity)
	}
	kept, err := textcodec.Remark(text, c.entity.ID, types, marked...)
	if err != nil {
		m := textcodec.Marks{Ours: "ours", Theirs: "theirs", Whole: "a conflict of before, which worldfs history " + c.entity.ID.String() + " shows"}
		kept, c.lost = textcodec.AppendMarked(nil, c.entity, m), marked[len(marked)-1]
	}
	if c.text = kept; !textcodec.HasMarkers(kept) {
		c.text = nil
	}
	return c
}
