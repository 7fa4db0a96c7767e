package changeset

import (
	"iter"
	"reflect"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// Sides returns the two worlds with which a three-way merge, ours being now, is
// the application of the set to a world that has moved on. base is now as the
// set's maker knew it, where the set says: with what it was changed from put
// back. theirs is base with the set applied. Both differ from now, and from one
// another, in nothing but the set's entities, and know it (entity.Differ).
//
// homeless are the changes of properties that there is nothing to make on: the
// entity is gone, or is of a type or revision that does not have such a value.
func Sides(set entity.ChangeSet, now entity.Source) (base, theirs entity.Source, homeless entity.ChangeSet) {
	b, t := newOverlay(now), newOverlay(now)
	for changes := range groups(Compose(set), together) {
		c := changes[0]
		if whole(c) {
			b.put(c.ID, c.Old)
			t.put(c.ID, c.New)
			continue
		}
		e, ok := now.Get(c.ID)
		if !ok {
			homeless = append(homeless, changes...)
			continue
		}
		before, fits, lost := putBack(e, changes)
		homeless = append(homeless, lost...)
		after := before
		for _, c := range fits {
			after = c.On(after)
		}
		b.put(c.ID, before)
		t.put(c.ID, after)
	}
	b.end()
	t.end()
	return b, t, homeless
}

// putBack returns e as the changes' maker knew it, which of them can be made on
// it, and which cannot.
func putBack(e *entity.Entity, changes entity.ChangeSet) (before *entity.Entity, fits, homeless entity.ChangeSet) {
	before = e
	edited := make(map[string]bool)
	for _, c := range changes {
		if !canTake(e, c) {
			homeless = append(homeless, c)
			continue
		}
		fits = append(fits, c)
		// A second edit is of what the first one makes, which is not here.
		if !edited[c.Field] {
			before = c.PutBack(before)
		}
		edited[c.Field] = c.Op == entity.OpEdit
	}
	return before, fits, homeless
}

// canTake reports whether e, as it is and as the change's maker knew it, can
// have the change made on it.
func canTake(e *entity.Entity, c entity.Change) bool {
	if c.Op == entity.OpRaw {
		return !slices.ContainsFunc(slices.Concat(c.Old.Unknown, c.New.Unknown), func(r entity.Raw) bool {
			return e.Layout.Index(r.Name) >= 0
		})
	}
	i := e.Layout.Index(c.Field)
	if i < 0 {
		return false
	}
	value := e.Values[i]
	switch c.Op {
	case entity.OpAdd, entity.OpRemove:
		if value.Kind() != entity.KindSet {
			return false
		}
	case entity.OpEdit:
		if _, ok := entity.HunkItems(value); !ok {
			return false
		}
	}
	return c.PutBack(e).Validate() == nil && c.On(e).Validate() == nil
}

// overlay is a world with some of its entities as another has them.
type overlay struct {
	under    entity.Source
	entities map[entity.ID]*entity.Entity // nil for one that is not there
	ids      []entity.ID                  // sorted
	length   int
}

var _ entity.Differ = (*overlay)(nil)

func newOverlay(under entity.Source) *overlay {
	return &overlay{under: under, entities: make(map[entity.ID]*entity.Entity)}
}

func (o *overlay) put(id entity.ID, e *entity.Entity) {
	if _, again := o.entities[id]; !again {
		o.ids = append(o.ids, id)
	}
	o.entities[id] = e
}

// end makes the overlay ready to be read.
func (o *overlay) end() {
	slices.Sort(o.ids)
	o.length = o.under.Len()
	for id, e := range o.entities {
		if _, ok := o.under.Get(id); ok {
			o.length--
		}
		if e != nil {
			o.length++
		}
	}
}

// Len returns how many entities there are.
func (o *overlay) Len() int { return o.length }

// Get returns the entity of that ID.
func (o *overlay) Get(id entity.ID) (*entity.Entity, bool) {
	if e, here := o.entities[id]; here {
		return e, e != nil
	}
	return o.under.Get(id)
}

// All returns the entities in the order of their IDs.
func (o *overlay) All() iter.Seq[*entity.Entity] {
	return func(yield func(*entity.Entity) bool) {
		ids := o.ids
		upTo := func(id entity.ID) bool {
			for len(ids) > 0 && ids[0] <= id {
				e := o.entities[ids[0]]
				ids = ids[1:]
				if e != nil && !yield(e) {
					return false
				}
			}
			return true
		}
		for e := range o.under.All() {
			if !upTo(e.ID) {
				return
			}
			if _, here := o.entities[e.ID]; !here && !yield(e) {
				return
			}
		}
		upTo(entity.MaxID)
	}
}

// Differing yields what differs from the world underneath, or from another
// overlay of it.
func (o *overlay) Differing(other entity.Source) (iter.Seq2[*entity.Entity, *entity.Entity], bool) {
	ids := o.ids
	if p, ok := other.(*overlay); ok && same(o.under, p.under) {
		ids = slices.Concat(ids, p.ids)
		slices.Sort(ids)
		ids = slices.Compact(ids)
	} else if !same(o.under, other) {
		return nil, false
	}
	return func(yield func(a, b *entity.Entity) bool) {
		for _, id := range ids {
			a, inA := o.Get(id)
			b, inB := other.Get(id)
			if !inA && !inB || inA && inB && a.Same(b) {
				continue
			}
			if !inA {
				a = nil
			}
			if !inB {
				b = nil
			}
			if !yield(a, b) {
				return
			}
		}
	}, true
}

// same reports whether two sources are one.
func same(a, b entity.Source) bool {
	return reflect.TypeOf(a).Comparable() && a == b
}
