// Package follow has what is mounted come along with what it is mounted on: the pose of a
// mounted entity is derived from its parent's and from its offset.
//
// It says what else a change set changes. An entity comes along if it stood where its parent
// carried it. One that stood elsewhere stays: either it was left behind once, which the
// finding pose-stale says, or the engine carries its entities otherwise than is known here.
//
//	the author changed                        the pose
//	its parent's place, or its own mount      is derived anew
//	both that and the pose                    is the author's
//	the pose alone                            goes back: it has no effect
//
// What is mounted on what comes along comes along, too. An entity of a circle of mounts is
// carried by nothing.
//
// A call costs a walk up and down from what was changed, and once, where a place was changed,
// the parent of each mounted entity (entity.MountParents).
package follow

import (
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// Outcome is what else changes.
type Outcome struct {
	Carried  map[entity.ID]*entity.Entity // those that come along, as they are then
	Restored map[entity.ID]*entity.Entity // those whose pose goes back, as they are then

	roots    map[entity.ID]entity.ID
	noEffect map[entity.ID]string
}

// Root returns the changed entity that has an entity come along: itself, if it was changed or
// brought.
func (o *Outcome) Root(id entity.ID) entity.ID { return o.roots[id] }

// NoEffect says in words that an entity's pose goes back, and what to change instead.
func (o *Outcome) NoEffect(id entity.ID) string { return o.noEffect[id] }

// Of returns what else changes where an author changes entities of a world: was is the world
// before, changes has what they are now, nil for those that are gone. What brought holds of
// was not made by the author but came from elsewhere, with its children as they are there: it
// carries nothing, and is carried only by what the author moved since. brought may be nil.
func Of(was entity.Source, changes map[entity.ID]*entity.Entity, brought func(entity.ID) bool) Outcome {
	if brought == nil {
		brought = func(entity.ID) bool { return false }
	}
	w := walk{
		was: was, changes: changes, brought: brought,
		before: make(map[entity.ID]*entity.Entity), after: make(map[entity.ID]*entity.Entity),
		Outcome: Outcome{
			Carried: make(map[entity.ID]*entity.Entity), Restored: make(map[entity.ID]*entity.Entity),
			roots: make(map[entity.ID]entity.ID), noEffect: make(map[entity.ID]string),
		},
	}
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		if w.matters(id) {
			w.waiting = append(w.waiting, id)
		}
	}
	for len(w.waiting) > 0 {
		id := w.waiting[len(w.waiting)-1]
		w.waiting = w.waiting[:len(w.waiting)-1]
		w.settle(id)
	}
	for id := range w.Carried {
		if w.brought(id) {
			w.roots[id] = id // what else was brought of it is not the author's
		}
	}
	return w.Outcome
}

// walk is a walk from what was changed, up to what carries it and down to what it carries.
type walk struct {
	Outcome
	was     entity.Source
	changes map[entity.ID]*entity.Entity
	brought func(entity.ID) bool

	before   map[entity.ID]*entity.Entity // what was read of was
	after    map[entity.ID]*entity.Entity // what is settled
	waiting  []entity.ID
	children map[entity.ID][]entity.ID // by parent, in was; nil: not read yet
}

// matters reports whether a changed entity may carry others, or be carried otherwise than it
// was.
func (w *walk) matters(id entity.ID) bool {
	is := w.changes[id]
	was := w.old(id)
	if was == nil || is == nil {
		return false
	}
	return !w.brought(id) && hasMoved(was, is) || is.MountParent() != 0 && mountChanged(was, is)
}

// old returns an entity as it was, nil if it was not there.
func (w *walk) old(id entity.ID) *entity.Entity {
	e, read := w.before[id]
	if !read {
		e, _ = w.was.Get(id)
		w.before[id] = e
	}
	return e
}

// now returns an entity as the author has it, nil if it is not there.
func (w *walk) now(id entity.ID) *entity.Entity {
	if e, changed := w.changes[id]; changed {
		return e
	}
	return w.old(id)
}

// settle finds out what an entity is in the end, and before that what carries it is.
func (w *walk) settle(id entity.ID) {
	var path []entity.ID
	on := make(map[entity.ID]int) // the path's places
	circle := -1                  // where on the path one begins
	for id != 0 {
		if _, settled := w.after[id]; settled {
			break
		}
		if at, again := on[id]; again {
			circle = at
			break
		}
		on[id], path = len(path), append(path, id)
		e := w.now(id)
		if e == nil {
			break
		}
		id = e.MountParent()
	}
	for i, id := range slices.Backward(path) {
		w.settleOne(id, circle >= 0 && i >= circle)
	}
}

// settleOne is settle for an entity whose parent is settled.
func (w *walk) settleOne(id entity.ID, inCircle bool) {
	was, is := w.old(id), w.now(id)
	w.after[id] = is
	if _, changed := w.changes[id]; changed && !w.brought(id) {
		w.roots[id] = id
	} else if is != nil {
		w.roots[id] = w.roots[is.MountParent()]
	}
	if was == nil || is == nil {
		return
	}
	if !inCircle && (!w.brought(id) || w.isMovedByAuthor(is.MountParent())) {
		w.carry(was, is)
	}
	if w.isMovedByAuthor(id) || !w.brought(id) && hasMoved(was, w.after[id]) {
		w.waiting = append(w.waiting, w.childrenOf(id)...)
	}
}

// isMovedByAuthor reports whether the author moved an entity, or what it comes along with:
// what was brought with it stood where it was then.
func (w *walk) isMovedByAuthor(id entity.ID) bool {
	if w.Carried[id] != nil {
		return true
	}
	is, changed := w.changes[id]
	was := w.old(id)
	return changed && !w.brought(id) && was != nil && is != nil && hasMoved(was, is)
}

// carry has an entity come along with its parent, or puts it back where that carries it.
func (w *walk) carry(was, is *entity.Entity) {
	if was.Type() != is.Type() || was.Layout.Type.Mount == nil {
		return
	}
	to, ok := World(func(id entity.ID) *entity.Entity { return w.after[id] }).carried(is)
	if !ok {
		return
	}
	mount := mountChanged(was, is)
	if w.brought(is.MountParent()) && !mount && w.Carried[is.MountParent()] == nil {
		return
	}
	from, stood := World(w.old).carried(was)
	if stood {
		if at, known := from.Has(was); !known || !at {
			return
		}
	} else if !mount {
		return // there is a parent that there was not: it says nothing of its children's places
	}
	given, moved := !poseIs(was, is) && !w.brought(is.ID), !stood || from != to
	switch at, _ := to.Has(is); {
	case given && !moved && !at:
		w.after[is.ID] = is.WithPoseOf(was)
		w.Restored[is.ID] = w.after[is.ID]
		w.noEffect[is.ID] = noEffect(was, is, w.after[is.MountParent()])
	case !given && moved:
		if put := to.Put(is); put != is {
			w.after[is.ID], w.Carried[is.ID] = put, put
		}
	}
}

// childrenOf returns what was mounted on an entity. What is mounted on it only now was
// changed, and so is looked at anyway.
func (w *walk) childrenOf(id entity.ID) []entity.ID {
	if w.children == nil {
		w.children = childrenIn(w.was)
	}
	return w.children[id]
}

// childrenIn returns what is mounted in a world, by what it is mounted on.
func childrenIn(s entity.Source) map[entity.ID][]entity.ID {
	children := make(map[entity.ID][]entity.ID)
	for child, on := range entity.MountParents(s) {
		children[on] = append(children[on], child)
	}
	return children
}
