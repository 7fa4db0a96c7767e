package table

import (
	"bytes"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/textcodec"
)

// Retype puts types in force, and all entities whose type's declaration changed
// under the new one, at once: whoever asks meanwhile is answered by the world of
// before, or waits. Served bytes do not change: where the new declaration would write an
// entity differently, its text is kept as it is.
func (ctl *Control) Retype(types *entity.Types) error {
	t := ctl.table
	changed := changedTypes(t.Types(), types)
	if len(changed) == 0 {
		return nil
	}
	cause := Cause{By: ByTypes, Source: history.Source{Set: t.feed.NewSet(), Origin: history.Brought}}
	var found []retyped
	for e := range ctl.Snapshot(true).All() {
		if !changed[e.Type()] {
			continue
		}
		r, err := t.readUnder(types, e.ID)
		if err != nil {
			return err
		}
		found = append(found, r)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.types = types
	t.clock.unpublished = t.now()
	under := make(map[entity.ID]bool, len(found))
	for _, r := range found {
		under[r.id] = t.takeRetypedLocked(r, types, &cause)
	}
	for id, s := range t.slots {
		if s.file == nil {
			continue
		}
		e := t.valuesLocked(id, s)
		readBefore := e != nil && changed[e.Type()] && !under[id]           // its text came while the others were read
		mayParse := s.problem || s.origin == nowhere || len(s.findings) > 0 // which did not under the old types
		if readBefore || mayParse {
			s.judged = false
			t.unjudged[id] = s
		}
	}
	return nil
}

// changedTypes returns the names of types whose declarations differ.
func changedTypes(old, types *entity.Types) map[string]bool {
	changed := make(map[string]bool)
	for _, t := range old.All() {
		n := types.Get(t.Name)
		if n == nil || !bytes.Equal(interchange.AppendType(nil, t), interchange.AppendType(nil, n)) {
			changed[t.Name] = true
		}
	}
	for _, t := range types.All() {
		if old.Get(t.Name) == nil {
			changed[t.Name] = true
		}
	}
	return changed
}

// retyped is what an entity's text says under types that are to be in force.
type retyped struct {
	id      entity.ID
	file    *File // nil: its name has just gone
	version uint64
	res     textcodec.Result
	broken  error
	byTypes bool // it is broken, and was not under the types in force before
}

// readUnder reads the entity's text under types. A text that these would write
// differently is held, so that it is served on.
func (t *Table) readUnder(types *entity.Types, id entity.ID) (retyped, error) {
	f, err := t.Lookup(id)
	if err != nil {
		return retyped{id: id}, nil
	}
	text, version, err := f.bytes()
	if err != nil {
		return retyped{}, err
	}
	r := retyped{id: id, file: f, version: version}
	if r.res, r.broken = textcodec.Decode(text, id, types); r.broken != nil {
		_, before := textcodec.Decode(text, id, t.Types())
		r.byTypes = before == nil
	}
	if !r.canonical() {
		err = f.hold()
	}
	return r, err
}

func (r retyped) canonical() bool { return r.broken == nil && r.res.Canonical }

// takeRetypedLocked takes in an entity as it was read under types, and reports
// whether that was its last text. Otherwise it is being written, and judged when it
// stands still. The change of types is the cause of what it has broken; else a text came in
// as it did. The caller has mu.
func (t *Table) takeRetypedLocked(r retyped, types *entity.Types, change *Cause) bool {
	s := t.slotOfLocked(r.id)
	if r.file == nil || s == nil || s.file != r.file || !r.file.isVersion(r.version) {
		return false
	}
	if !r.canonical() {
		cause := s.cause
		t.touchSlotLocked(s, true)
		if r.byTypes {
			cause = change
		}
		if r.broken != nil {
			s.cause = cause
		}
	}
	t.active[r.id] = s
	if r.broken == nil {
		s.origin, s.good, s.canonical = itsOwn, r.res.Entity, r.res.Canonical
	} else if e := t.valuesLocked(r.id, s); e != nil {
		s.origin, s.good = itsOwn, textcodec.Reread(e, types)
	}
	return true
}
