package follow

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// Merge is three worlds of which one is made.
type Merge struct {
	Base, Ours, Theirs World
	Merged             World                // before poses are derived, and with those that Put was given
	Put                func(*entity.Entity) // takes an entity of the merged world with another pose
	All                entity.Source        // a side, for what it has mounted
}

// Derive has what is mounted stand where the merged world carries it, if it stood where it was
// carried on a side that has placed it anew, or where none has, on each side. changed are the
// entities that a side has changed.
//
// Where that is just the place which a side has it at, the pose is that side's to the last
// bit: so a merge with a side that changed nothing is the other side.
func (m *Merge) Derive(changed []entity.ID) {
	d := deriving{Merge: m, waiting: changed, done: make(map[entity.ID]bool, len(changed))}
	for len(d.waiting) > 0 {
		id := d.waiting[0]
		d.waiting = d.waiting[1:]
		d.settle(id)
	}
}

type deriving struct {
	*Merge
	waiting  []entity.ID
	done     map[entity.ID]bool
	children map[entity.ID][]entity.ID // by parent; nil: not read yet
}

// settle derives the pose of an entity, and before that those of what carries it. An entity
// of a circle of mounts is carried by nothing.
func (d *deriving) settle(id entity.ID) {
	var path []*entity.Entity
	on := make(map[entity.ID]int) // the path's places
	circle := -1                  // where on the path one begins
	for !d.done[id] {
		if at, again := on[id]; again {
			circle = at
			break
		}
		e := d.Merged(id)
		if e == nil {
			break
		}
		on[id], path = len(path), append(path, e)
		id = e.MountParent()
	}
	for i, e := range slices.Backward(path) {
		d.done[e.ID] = true
		if circle < 0 || i < circle {
			e = d.derive(e)
		}
		if isMovedFrom(d.Ours(e.ID), e) && isMovedFrom(d.Theirs(e.ID), e) {
			d.waiting = append(d.waiting, d.childrenOf(e.ID)...)
		}
	}
}

// isMovedFrom reports whether a side has an entity, and perhaps at another place.
func isMovedFrom(its, e *entity.Entity) bool { return its != nil && its != e && hasMoved(its, e) }

// derive returns an entity whose parent is settled, with its pose derived.
func (d *deriving) derive(e *entity.Entity) *entity.Entity {
	to, ok := d.Merged.carried(e)
	if !ok {
		return e
	}
	stand, there := d.standing(e.ID), 0
	n := e
	for _, s := range stand {
		if from, _ := s.in.carried(s.Entity); from == to {
			n = e.WithPoseOf(s.Entity)
			there++
		}
	}
	switch {
	case there == 2 || len(stand) == 0: // two differ in last bits, and one of them it has
		return e
	case there == 0:
		n = to.Put(e)
	}
	if n != e {
		d.Put(n)
	}
	return n
}

// standing is an entity as a side has it that stands there where it is carried.
type standing struct {
	*entity.Entity
	in World
}

// standing returns an entity as the sides have it that have placed it anew, if it stands there;
// where none has, as both have it, if it stands on each.
func (d *deriving) standing(id entity.ID) (stand []standing) {
	base, all, anew := d.Base(id), 0, 0
	var fixed []standing
	for _, side := range []World{d.Ours, d.Theirs} {
		e := side(id)
		if e == nil || e.MountParent() == 0 {
			continue
		}
		all++
		isNew := base == nil || mountChanged(base, e) || !poseIs(base, e)
		if isNew {
			anew++
		}
		switch {
		case !side.has(e):
		case isNew:
			stand = append(stand, standing{e, side})
		default:
			fixed = append(fixed, standing{e, side})
		}
	}
	if anew == 0 && len(fixed) == all {
		return fixed
	}
	return stand
}

// childrenOf returns what a side has mounted on an entity. The other side's is among what was
// changed.
func (d *deriving) childrenOf(id entity.ID) []entity.ID {
	if d.children == nil {
		d.children = childrenIn(d.All)
	}
	return d.children[id]
}
