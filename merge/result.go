package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Result is a merged world, ours with changes, and what was done to make it.
// Ours must not change while it is in use.
type Result struct {
	*entity.Overlay
	Types      *entity.Types
	Conflicts  []Conflict // by ID; those about declarations first
	Repairs    []Repair   // by ID
	Renumbered []Renumbering
	Discarded  []DiscardedSet // by range
	Counts     Counts

	ours    entity.Source
	changed map[entity.ID]*entity.Entity // where it is not ours; nil where that is deleted
	ids     []entity.ID                  // of changed, in order
	slots   []*slot
	names   SideNames

	disputed     []DisputedType
	leftEntities []LeftEntity
}

func (m *merger) result() *Result {
	r := &Result{
		Types: m.types, Conflicts: m.conflicts, Repairs: m.repairs, Renumbered: m.renumbered, Discarded: m.discarded,
		ours: m.ours, changed: make(map[entity.ID]*entity.Entity), slots: m.order, names: m.options.SideNames(),
	}
	for _, s := range m.order {
		r.put(s.id, s.out)
	}
	m.redeclare(r)
	r.Repairs = m.repairs
	r.ids = slices.Sorted(maps.Keys(r.changed))
	r.Overlay = entity.NewOverlay(m.ours, r.changed)
	slices.SortStableFunc(r.Conflicts, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.Type, b.Type), strings.Compare(a.Path, b.Path))
	})
	slices.SortStableFunc(r.Repairs, func(a, b Repair) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.Type, b.Type), strings.Compare(a.Field, b.Field))
	})
	r.count(m.alike)
	return r
}

// put notes an entity that is another than ours.
func (r *Result) put(id entity.ID, e *entity.Entity) {
	old, had := r.ours.Get(id)
	if !had && e == nil || had && e != nil && old.Same(e) && old.Layout.Type == e.Layout.Type {
		return
	}
	r.changed[id] = e
}

// redeclare carries what no side changed to declarations that are not ours.
func (m *merger) redeclare(r *Result) {
	other := false
	for side := range m.bound {
		merged := m.types.Get(side.Name)
		other = other || merged != nil && !m.bound[side]
	}
	if !other {
		return
	}
	for e := range m.ours.All() {
		if m.slots[e.ID] == nil {
			if merged := m.types.Get(e.Type()); merged != nil && merged != e.Layout.Type && !e.Layout.Type.Unknown && m.layout(e.Layout) == e.Layout {
				r.put(e.ID, m.adopt(e))
			}
		}
	}
}

func (r *Result) count(alike int) {
	r.Counts = Counts{Alike: alike, Repairs: len(r.Repairs), Renumbered: len(r.Renumbered)}
	for _, s := range r.slots {
		if s.byOurs {
			r.Counts.Ours++
		}
		if s.byTheirs {
			r.Counts.Theirs++
		}
		if s.byOurs && s.byTheirs {
			r.Counts.Both++
		}
	}
	for _, c := range r.Conflicts {
		if c.Left {
			r.Counts.Left++
		} else {
			r.Counts.Decided++
		}
	}
}

var _ entity.Source = (*Result)(nil)

// Changes returns what makes the merged world of ours.
func (r *Result) Changes() entity.ChangeSet {
	var set entity.ChangeSet
	for _, id := range r.ids {
		e := r.changed[id]
		old, had := r.ours.Get(id)
		switch {
		case e == nil:
			set = append(set, entity.Change{Op: entity.OpDelete, ID: id, Old: old})
		case !had:
			set = append(set, entity.Change{Op: entity.OpCreate, ID: id, New: e})
		default:
			set = append(set, entity.DiffEntity(old, e)...)
		}
	}
	return set
}

// World returns the merged world, in memory, on its own.
func (r *Result) World(id entity.GUID) *entity.World {
	w := entity.NewWorld(id, r.Types)
	for e := range r.All() {
		w.Put(e)
	}
	return w
}

// Outcomes returns what became of every entity that a side changed, by ID.
func (r *Result) Outcomes() []Outcome {
	out := make([]Outcome, 0, len(r.slots))
	for _, s := range r.slots {
		if !s.byOurs && !s.byTheirs {
			continue // what was changed is discarded
		}
		out = append(out, s.outcome())
	}
	return out
}

func (s *slot) outcome() Outcome {
	e := cmp.Or(s.out, s.base, s.ours, s.theirs)
	o := Outcome{ID: s.id, Type: e.Type(), Name: e.Name(), By: by(s.byOurs, s.byTheirs), What: "changed"}
	oursDeleted, theirsDeleted := s.base != nil && s.ours == nil, s.base != nil && s.theirs == nil
	switch {
	case s.out == nil:
		o.What, o.By = "deleted", by(oursDeleted, theirsDeleted)
		return o
	case s.base == nil:
		o.What = "created"
		return o
	case oursDeleted || theirsDeleted:
		o.DeletedBy, o.By = by(oursDeleted, theirsDeleted), by(theirsDeleted, oursDeleted)
	}
	switch {
	case !s.base.Same(s.out):
		o.Fields = changedFields(s.base, s.out)
	case o.DeletedBy != "":
		o.What = "kept"
	default:
		o.What = "unchanged"
	}
	return o
}

// by names the parties of which something is true.
func by(ours, theirs bool) string {
	switch {
	case ours && theirs:
		return "both"
	case ours:
		return Ours.String()
	case theirs:
		return Theirs.String()
	}
	return Neither.String()
}

// changedFields names what is not the same, by the fields that e has.
func changedFields(base, e *entity.Entity) (names []string) {
	if base.Type() != e.Type() {
		names = append(names, "type")
	}
	if base.Revision() != e.Revision() {
		names = append(names, "revision")
	}
	for i, f := range e.Layout.Fields {
		if !base.Value(f.Name).Equal(e.Values[i]) {
			names = append(names, f.Name)
		}
	}
	if !slices.Equal(base.Unknown, e.Unknown) {
		names = append(names, "unknown fields")
	}
	return names
}
