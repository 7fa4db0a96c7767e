package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// LeftEntity is an entity with conflicts that are left to people, as each side
// has it under the merged declarations; nil where there is none. Where that does
// not have a field in conflict, which the merged entity's revision has, a side's
// entity is of that revision.
type LeftEntity struct {
	Base, Ours, Theirs *entity.Entity
	Conflicts          []Conflict
}

// LeftEntities returns the entities with conflicts that are left, by ID.
func (r *Result) LeftEntities() []LeftEntity { return r.leftEntities }

func (m *merger) leftTo(conflicts []Conflict) (out []LeftEntity) {
	left := make(map[entity.ID][]Conflict)
	for _, c := range conflicts {
		if c.Left && c.ID != 0 {
			left[c.ID] = append(left[c.ID], c)
		}
	}
	repairs := m.repairs
	for _, s := range m.order {
		if c := left[s.id]; len(c) > 0 {
			out = append(out, LeftEntity{m.shown(s.base, s, c), m.shown(s.ours, s, c), m.shown(s.theirs, s, c), c})
		}
	}
	m.repairs = repairs // adopting them again is no repair of the merged world
	return out
}

// shown returns a side's entity of a slot as LeftEntity has it; e may be nil.
func (m *merger) shown(e *entity.Entity, s *slot, conflicts []Conflict) *entity.Entity {
	if e == nil || s.out == nil || s.out.Layout.Type.Unknown || e.Type() != s.out.Type() {
		return m.adopt(e)
	}
	alone, lacks := false, false
	for _, c := range conflicts {
		alone = alone || c.Field != "" && s.out.Layout.Index(c.Field) < 0 // the field is the side's alone
		lacks = lacks || c.Field != "" && !hasField(e, c.Field)
	}
	if alone || !lacks {
		return m.disputedIn(m.adopt(e), e, s.out, conflicts)
	}
	return m.disputedIn(m.adoptAs(m.bindEntity(e), s.out.Layout), e, s.out, conflicts)
}

// disputedIn returns a side's entity under the merged declaration with what that has no place
// for of the fields in conflict: lines of those that it lacks. A field that does not hold the
// value, which is lines under another name, is as in the merged entity: it has no other.
func (m *merger) disputedIn(adopted, e, merged *entity.Entity, conflicts []Conflict) *entity.Entity {
	homeless := m.view(e, adopted.Layout).homeless
	c := adopted.Clone()
	for _, about := range conflicts {
		h, is := homeless[about.Field]
		switch i := c.Layout.Index(about.Field); {
		case !is || i < 0 && hasField(c, about.Field):
		case i >= 0:
			if to := merged.Layout.Index(about.Field); to >= 0 && merged.Layout.Fields[to] == c.Layout.Fields[i] {
				c.Values[i] = merged.Values[to]
			}
		case !h.value.IsNull():
			c.Unknown = append(slices.Clip(c.Unknown), textcodec.Lines(h.field, &h.value))
		}
	}
	return c
}

// hasField reports whether an entity has a field, be it as lines that its type does not know.
func hasField(e *entity.Entity, name string) bool {
	return e.Layout.Index(name) >= 0 || hasLines(e.Unknown, name)
}

// hasLines reports whether there are lines of a field.
func hasLines(lines []entity.Raw, name string) bool {
	return slices.ContainsFunc(lines, func(r entity.Raw) bool { return r.Name == name })
}
