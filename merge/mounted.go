package merge

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
)

// partyWorld returns a party's world, Neither's for the base, by the IDs of the merged one.
func partyWorld(m *merger, p Party) follow.World {
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
func carries(m *merger, p Party, e *entity.Entity, field string) bool {
	if e.Layout.Type.Mount == nil {
		return false
	}
	if m.options.Alone {
		return follow.MayCarry(e, field)
	}
	return partyWorld(m, p).Carries(e, field)
}

// derivePoses has what is mounted stand where the merged world carries it.
func derivePoses(m *merger) {
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
	put := func(e *entity.Entity) { putPose(m, e) }
	d := follow.Merge{Base: partyWorld(m, Neither), Ours: partyWorld(m, Ours), Theirs: partyWorld(m, Theirs), Merged: merged, Put: put, All: m.ours}
	d.Derive(changed)
	m.sort()
}

// putPose gives an entity of the merged world another pose. It may be one that no side changed.
func putPose(m *merger, e *entity.Entity) {
	s := m.slots[e.ID]
	if s == nil {
		s = m.at(e.ID)
		s.base, _ = m.base.Get(e.ID)
		s.ours, s.theirs = s.base, s.base
		e = m.adopt(s.base).WithPoseOf(e)
	}
	tellPoses(m, s, e)
	s.out, s.own = e, true
}

// tellPoses lists the poses that a side has edited where that has no effect: the other side
// had the entity come along.
func tellPoses(m *merger, s *slot, derived *entity.Entity) {
	if s.base == nil || s.base.Layout.Type.Mount == nil {
		return
	}
	for _, p := range []Party{Ours, Theirs} {
		e := either(p, s.ours, s.theirs)
		if e == nil || e.Layout.Type.Mount == nil {
			continue
		}
		for _, name := range e.Layout.Type.Mount.Pose {
			v, is := e.Value(name), derived.Value(name)
			if v.Equal(s.base.Value(name)) || v.Equal(is) || partyWorld(m, p).Carries(e, name) {
				continue
			}
			shape := &e.Layout.Fields[e.Layout.Index(name)].Shape
			m.repair(Repair{Kind: Carried, Field: name, From: version(shape, v), To: version(shape, is),
				Message: "it is mounted, and the other side had it come along: what was given has no effect"}.about(derived))
		}
	}
}
