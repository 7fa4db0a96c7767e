package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/merge"
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
	changes, texts := make(map[entity.ID]change), make(map[entity.ID][]byte)
	for id, m := range marks(v) {
		e, there := v.Get(id)
		if there && !w.control.IsInDoubt(id) {
			texts[id] = textcodec.AppendMarked(nil, e, m)
			changes[id] = change{Entity: e, Text: texts[id]}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	w.keepMarksLocked(texts)
	return w.intakeLocked(v, changes)
}

// keepMarksLocked keeps what an intake leaves marked, before it is. What cannot be kept is no reason to keep the intake out.
func (w *World) keepMarksLocked(texts map[entity.ID][]byte) {
	if w.store.InMemory() {
		return
	}
	dropped, err := savemarks.Add(w.dir, texts, time.Now().UTC())
	if err != nil {
		w.log.Warn("what an intake has marked is not kept", "error", err)
	} else if dropped > 0 {
		w.log.Warn("there is no room to keep all that intakes have marked", "dropped", dropped)
	}
}

// Mends has what is made of an entity take the place of a text that does not parse, and no
// conflict tell of that: an undo of the entity gives the text up.
func (v *View) Mends(id entity.ID) {
	if v.mends == nil {
		v.mends = make(map[entity.ID]bool)
	}
	v.mends[id] = true
}

// Marks has what is made of the view have the conflicts again, in an entity's text, that are
// marked in a text of before and that its values do not decide.
func (v *View) Marks(id entity.ID, text []byte) { put(&v.marks, id, text) }

// Restores has what is made of the view have an entity's text as it was before, if it has just
// the values of that.
func (v *View) Restores(id entity.ID, text []byte) { put(&v.restores, id, text) }

func put(texts *map[entity.ID][]byte, id entity.ID, text []byte) {
	if *texts == nil {
		*texts = make(map[entity.ID][]byte)
	}
	(*texts)[id] = text
}

// markAgain has changes leave the conflicts in texts that are to have them again.
func (w *World) markAgain(v *View, changes map[entity.ID]change) {
	for id, text := range v.marks {
		c := changes[id]
		if c.Entity == nil {
			c.Entity, _ = v.Get(id)
		}
		if c.Gone || c.Entity == nil {
			continue
		}
		if hasValues(text, c.Entity, v.Types()) && !w.control.IsInDoubt(id) {
			c.Text, c.Keeps = text, false
		} else {
			c.Beside, c.Keeps = text, true
		}
		changes[id] = c
	}
	for id, text := range v.restores {
		if c := changes[id]; c.Entity != nil && hasValues(text, c.Entity, v.Types()) {
			c.Text, c.Keeps = text, false
			changes[id] = c
		}
	}
}

// spare returns a save without its deletions of entities that are marked with another side's
// edits, which its program has not seen: changes has them as that side has them, with the deletion
// in conflict. Nothing is cleared then that refers to them.
func (w *World) spare(v *View, save *entity.Overlay) (kept *entity.Overlay, changes map[entity.ID]change, left []Conflict, err error) {
	was, saved := save.Under()
	saved, changes = maps.Clone(saved), make(map[entity.ID]change)
	for _, id := range slices.Sorted(maps.Keys(saved)) {
		here, there := v.Get(id)
		if saved[id] != nil || !there || !w.control.IsInDoubt(id) {
			continue
		}
		text, err := v.Text(id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil, err
		}
		if other, marked := textcodec.MarkDeleted(text, here, v.Types()); other != nil {
			delete(saved, id)
			changes[id] = change{Entity: other, Text: marked}
			left = append(left, Conflict{Kind: merge.Deleted, ID: id, Left: true, Words: fmt.Sprintf("%s: deleted where it was in conflict: it is kept, with the other side's values", other)})
		}
	}
	return entity.NewOverlay(was, saved), changes, left, nil
}

// hasValues reports whether an entity is read from a text, just as it is.
func hasValues(text []byte, e *entity.Entity, types *entity.Types) bool {
	res, err := textcodec.Decode(text, e.ID, types)
	return err == nil && res.Entity.Equal(e)
}
