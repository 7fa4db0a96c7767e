package merge

import (
	"cmp"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
)

// keepParents settles deletions of what other entities follow. What one side
// deleted stays, as a conflict, if something that the other side changed or
// made follows it; where the policy is for the deletion, that follows what
// the deleted entity followed.
func (m *merger) keepParents() {
	if !slices.ContainsFunc(m.order, func(s *slot) bool { return s.out == nil }) {
		return
	}
	seen := map[Party]map[entity.ID]bool{Ours: {}, Theirs: {}}
	queue := slices.Clone(m.order)
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s.out == nil {
			continue
		}
		var back []*slot
		for _, i := range m.refFields(s.out.Layout).direct {
			back = append(back, m.parents(s, i)...)
		}
		for p := range seen {
			if m.touched(s, p) {
				back = append(back, m.climb(s, p, seen[p])...)
			}
		}
		slices.SortFunc(back, compareSlots) // on either side
		queue = append(queue, back...)
	}
}

// touched reports whether a party made or really changed the entity.
func (m *merger) touched(s *slot, p Party) bool {
	e := either(p, s.ours, s.theirs)
	return either(p, s.byOurs, s.byTheirs) && e != nil && (s.base == nil || m.significant(s.base, p, e))
}

// climb looks at all that an entity follows that the party touched, also where
// those between were not touched, for what the other party deleted. It returns
// the slots that came back.
func (m *merger) climb(s *slot, p Party, seen map[entity.ID]bool) (back []*slot) {
	for stack := []entity.ID{s.id}; len(stack) > 0; {
		e, ok := m.get(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if !ok {
			continue
		}
		for _, id := range m.parentsOf(e) {
			to := m.slots[id]
			if to != nil && to.out == nil {
				if !to.in(p) || to.in(p.Other()) || !m.comesBack(to, s) {
					continue
				}
				back = append(back, to)
			}
			if !seen[id] {
				seen[id] = true
				stack = append(stack, id)
			}
		}
	}
	return back
}

// get returns an entity of the merged world.
func (m *merger) get(id entity.ID) (*entity.Entity, bool) {
	if s := m.slots[id]; s != nil {
		return s.out, s.out != nil
	}
	return m.ours.Get(id)
}

// parentsOf returns what an entity's direct refs refer to.
func (m *merger) parentsOf(e *entity.Entity) (ids []entity.ID) {
	for _, i := range m.refFields(e.Layout).direct {
		reference.Each(&e.Layout.Fields[i].Shape, e.Values[i], func(id entity.ID, direct bool) {
			if direct {
				ids = append(ids, id)
			}
		})
	}
	return ids
}

// parents settles the direct refs in one field, and returns the slots that came
// back.
func (m *merger) parents(s *slot, field int) (back []*slot) {
	f := s.out.Layout.Fields[field]
	v := s.out.Values[field]
	moved := false
	now := reference.Replace(&f.Shape, v, func(id entity.ID, direct bool) entity.ID {
		if !direct {
			return id
		}
		to := m.gone(s, f.Name, id, direct)
		if to == nil {
			to = m.takenFrom(s, f.Name, id)
		}
		if to == nil {
			return id
		}
		if m.comesBack(to, s) {
			back = append(back, to)
			return id
		}
		moved = true
		return m.above(to, s.id)
	})
	if moved {
		s.edit(field, now)
		m.repair(Repair{Kind: MovedUp, Field: f.Name, From: version(&f.Shape, v), To: version(&f.Shape, now),
			Message: "what it followed is deleted; it follows what that followed"}.about(s.out))
	}
	return back
}

// takenFrom returns the slot of a deleted entity that s follows, if the party
// that still had it has touched s: although the other left s behind with a ref
// to nothing, the two disagree.
func (m *merger) takenFrom(s *slot, field string, id entity.ID) *slot {
	to := m.slots[id]
	if to == nil || to.out != nil || to.in(Ours) == to.in(Theirs) {
		return nil
	}
	p := partyIf(to.in(Ours))
	if !m.touched(s, p) || !refersTo(either(p, s.ours, s.theirs), field, id, true) {
		return nil
	}
	return to
}

// comesBack decides about a deleted entity that the child follows.
func (m *merger) comesBack(s, child *slot) bool {
	if s.decided || s.discardedOf != Neither || s.base == nil || s.ours == nil && s.theirs == nil {
		return false
	}
	keeper := partyIf(s.ours != nil)
	e := either(keeper, s.ours, s.theirs)
	v := m.verdict(e.ID, e.Type(), "")
	if v.left {
		v.stands = keeper
	}
	names := m.options.SideNames()
	m.conflict(v, Conflict{Kind: DeletedAbove, Below: child.id,
		Why:  names[keeper.Other()] + " deleted it, and " + names[keeper] + " changed or made " + child.out.String() + ", which follows it",
		Base: Version{Entity: s.base}, Ours: Version{Entity: s.ours}, Theirs: Version{Entity: s.theirs}}.about(e))
	s.decided = true
	if v.stands != keeper {
		return false
	}
	s.out = m.adopt(e)
	return true
}

// above returns what a deleted entity followed, and if that is deleted too,
// what that followed; 0 if there is nothing, or only the child itself.
func (m *merger) above(s *slot, child entity.ID) entity.ID {
	for range len(m.slots) {
		parent := m.follows(s)
		if parent == 0 || parent == child {
			return 0
		}
		if _, ok := m.get(parent); ok {
			return parent
		}
		if s = m.slots[parent]; s == nil {
			return 0
		}
	}
	return 0
}

// follows returns the first direct ref that a deleted entity had.
func (m *merger) follows(s *slot) entity.ID {
	e := cmp.Or(s.base, s.discarded, s.ours, s.theirs)
	if e == nil {
		return 0
	}
	if ids := m.parentsOf(e); len(ids) > 0 {
		return ids[0]
	}
	return 0
}
