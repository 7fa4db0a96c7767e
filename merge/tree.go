package merge

import "github.com/worldfs/worldfs/entity"

// keepParents settles deletions of what other entities follow. What one side
// deleted stays, as a conflict, if something that the other side changed or
// made follows it; where the policy is for the deletion, that follows what
// the deleted entity followed.
func (m *merger) keepParents() {
	queue := append([]*slot(nil), m.order...)
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s.out == nil {
			continue
		}
		for _, i := range m.refFields(s.out.Layout).direct {
			queue = append(queue, m.parents(s, i)...)
		}
	}
}

// parents settles the direct refs in one field, and returns the slots that came
// back.
func (m *merger) parents(s *slot, field int) (back []*slot) {
	f := s.out.Layout.Fields[field]
	v := s.out.Values[field]
	moved := false
	now := replaceRefs(&f.Shape, v, func(id entity.ID, direct bool) entity.ID {
		to := m.gone(s, f.Name, id, direct)
		if !direct || to == nil {
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

// comesBack decides about a deleted entity that the child follows.
func (m *merger) comesBack(s, child *slot) bool {
	if s.decided || s.discarded != nil || s.base == nil || s.ours == nil && s.theirs == nil {
		return false
	}
	keeper := partyIf(s.ours != nil)
	e := either(keeper, s.ours, s.theirs)
	v := m.options.verdict(e.Type(), "")
	if v.left {
		v.stands = keeper
	}
	m.conflict(v, Conflict{Kind: DeletedAbove, Below: child.id,
		Why:  keeper.Other().String() + " deleted it, and " + keeper.String() + " changed or made " + child.out.String() + ", which follows it",
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
		next := m.slots[parent]
		if next == nil {
			if _, exists := m.ours.Get(parent); !exists {
				return 0
			}
			return parent
		}
		if next.out != nil {
			return parent
		}
		s = next
	}
	return 0
}

// follows returns the first direct ref that a deleted entity had.
func (m *merger) follows(s *slot) (parent entity.ID) {
	for _, e := range []*entity.Entity{s.base, s.discarded, s.ours, s.theirs} {
		if e == nil {
			continue
		}
		for _, i := range m.refFields(e.Layout).direct {
			eachRef(&e.Layout.Fields[i].Shape, e.Values[i], func(id entity.ID, direct bool) {
				if direct && parent == 0 {
					parent = id
				}
			})
		}
		return parent
	}
	return 0
}
