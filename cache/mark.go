package cache

import (
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
		if there && !w.control.IsInDoubt(id) {
			changes[id] = change{Entity: e, Text: textcodec.AppendMarked(nil, e, m)}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return w.intakeLocked(v, changes)
}
