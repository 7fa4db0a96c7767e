package merge

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
)

// world returns a side's world, Neither's for the base, by the IDs of the merged one.
func (m *merger) world(p Party) follow.World {
	side := m.base
	if p != Neither {
		side = either(p, m.ours, m.theirs)
	}
	return func(id entity.ID) *entity.Entity {
		s := m.slots[id]
		switch {
		case s == nil:
			e, _ := side.Get(id)
			return e
		case p == Neither:
			return s.base
		}
		return either(p, s.ours, s.theirs)
	}
}

// carries reports whether a field of a party's entity is a pose that is derived.
func (m *merger) carries(p Party, e *entity.Entity, field string) bool {
	if e.Layout.Type.Mount == nil {
		return false
	}
	if m.options.Alone {
		return follow.MayCarry(e, field)
	}
	return m.world(p).Carries(e, field)
}

// derivePoses has what is mounted stand where the merged world carries it.
func (m *merger) derivePoses() {
	var changed []entity.ID
	for _, s := range m.order {
		if s.out != nil && (s.out.MountParent() != 0 || s.byOurs && s.byTheirs) { // else it is carried by nothing, and moved by one
			changed = append(changed, s.id)
		}
	}
	merged := func(id entity.ID) *entity.Entity {
		e, _ := m.get(id)
		return e
	}
	d := follow.Merge{Base: m.world(Neither), Ours: m.world(Ours), Theirs: m.world(Theirs), Merged: merged, Put: m.putPose, All: m.ours}
	d.Derive(changed)
	m.sort()
}

// putPose gives an entity of the merged world another pose. It may be one that no side changed.
func (m *merger) putPose(e *entity.Entity) {
	s := m.slots[e.ID]
	if s == nil {
		s = m.at(e.ID)
		s.base, _ = m.base.Get(e.ID)
		s.ours, s.theirs = s.base, s.base
		e = m.adopt(s.base).WithPoseOf(e)
	}
	s.out, s.own = e, true
}
