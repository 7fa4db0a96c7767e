package merge

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
)

// refFields are the fields of a layout that have refs in them.
type refFields struct {
	all    []int
	direct []int // those that have direct ones
}

func (m *merger) refFields(l *entity.Layout) refFields {
	r, known := m.refs[l]
	if !known {
		for i, f := range l.Fields {
			any, direct := reference.Has(&f.Shape)
			if any {
				r.all = append(r.all, i)
			}
			if direct {
				r.direct = append(r.direct, i)
			}
		}
		m.refs[l] = r
	}
	return r
}

// refersTo reports whether the entity has such a ref in the field of that name.
// e may be nil.
func refersTo(e *entity.Entity, field string, id entity.ID, direct bool) (found bool) {
	if e == nil {
		return false
	}
	i := e.Layout.Index(field)
	if i < 0 {
		return false
	}
	reference.Each(&e.Layout.Fields[i].Shape, e.Values[i], func(to entity.ID, d bool) {
		found = found || to == id && d == direct
	})
	return found
}

// edit replaces the value of a field of the merged entity.
func (s *slot) edit(field int, v entity.Value) {
	if !s.own {
		s.out, s.own = s.out.Clone(), true
	}
	s.out.Values[field] = v
}

// gone returns the slot of an ID that a ref of s refers to and that the merge
// has no entity of, although the side that has the ref had one; nil otherwise.
func (m *merger) gone(s *slot, field string, id entity.ID, direct bool) *slot {
	to := m.slots[id]
	if to == nil || to.out != nil {
		return nil
	}
	if m.options.isAmended(s.id, field) {
		return to
	}
	for _, p := range []Party{Ours, Theirs} {
		if refersTo(s.had(p), field, id, direct) && !to.in(p) {
			return nil
		}
	}
	return to
}

// had returns the entity as a side's world has it, also where what the side did is
// discarded; nil if it has none.
func (s *slot) had(p Party) *entity.Entity {
	if s.discardedOf == p {
		return s.discarded
	}
	return either(p, s.ours, s.theirs)
}

// in reports whether a side's world has the entity.
func (s *slot) in(p Party) bool { return s.had(p) != nil }

// clearRefs takes away the refs to what is deleted that neither side had.
func (m *merger) clearRefs() {
	for _, s := range m.order {
		if s.out == nil {
			continue
		}
		for _, i := range m.refFields(s.out.Layout).all {
			f, v := s.out.Layout.Fields[i], s.out.Values[i]
			cleared := false
			reference.Each(&f.Shape, v, func(id entity.ID, direct bool) {
				cleared = cleared || m.gone(s, f.Name, id, direct) != nil
			})
			if !cleared {
				continue
			}
			now := reference.Replace(&f.Shape, v, func(id entity.ID, direct bool) entity.ID {
				if m.gone(s, f.Name, id, direct) != nil {
					return 0
				}
				return id
			})
			s.edit(i, now)
			m.repair(Repair{Kind: RefCleared, Field: f.Name, From: version(&f.Shape, v), To: version(&f.Shape, now),
				Message: "it referred to an entity that the other side deleted"}.about(s.out))
		}
	}
}
