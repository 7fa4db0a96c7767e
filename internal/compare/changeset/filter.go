package changeset

import (
	"slices"
	"sync"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/internal/support/portable"
)

// Filter chooses changes. Of each thing that it names (types, fields, ...) one
// must be so; what it does not name is not asked about. The zero Filter chooses
// all.
type Filter struct {
	Types  []string
	Fields []string // changes of these; entities made and taken away are of none
	IDs    []entity.ID
	Where  *expression.Program // holds for the entity as it was before or is after; refs lead to others as they are then
	Box    *Box                // the entity is in it before or after
	Near   *Near               // the entity is near that before or after

	Not bool // choose what would not be chosen
}

// Box is a part of a world between two corners, both included.
type Box struct{ Min, Max [3]float64 }

func (b *Box) has(at [3]float64) bool {
	for i := range at {
		if at[i] < b.Min[i] || at[i] > b.Max[i] {
			return false
		}
	}
	return true
}

// Near is a part of a world around a place.
type Near struct {
	At     [3]float64
	Radius float64
}

func (n *Near) has(at [3]float64) bool {
	return portable.Hypot(portable.Hypot(at[0]-n.At[0], at[1]-n.At[1]), at[2]-n.At[2]) <= n.Radius
}

// Select returns those of the changes that all filters choose. world is what
// the changes are made on: what Where, Box and Near ask about entities is asked
// there. Entities that are not there answer no.
func Select(set entity.ChangeSet, world entity.Source, filters ...Filter) entity.ChangeSet {
	var out entity.ChangeSet
	after := later(sync.OnceValue(func() expression.Entities { return withChanges(set, world) }))
	for changes := range blocks(set) {
		s := states{changes: changes, world: world, after: after}
		for _, c := range changes {
			if !slices.ContainsFunc(filters, func(f Filter) bool { return !f.chooses(c, &s) }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// states are an entity before and after its changes.
type states struct {
	changes entity.ChangeSet
	world   entity.Source
	after   expression.Entities // the world with all changes made
	both    []state             // nil until they are asked for
}

// state is an entity, and where its refs lead to then.
type state struct {
	*entity.Entity
	world expression.Entities
}

// later are entities that are made when one is asked for: few conditions follow
// refs.
type later func() expression.Entities

// Get implements expression.Entities.
func (l later) Get(id entity.ID) (*entity.Entity, bool) { return l().Get(id) }

func (s *states) all() []state {
	if s.both == nil {
		s.both = []state{}
		before, after := beforeAfter(s.changes, s.world)
		if before != nil {
			s.both = append(s.both, state{before, s.world})
		}
		if after != nil {
			s.both = append(s.both, state{after, s.after})
		}
	}
	return s.both
}

// withChanges returns a world with a set's changes made.
func withChanges(set entity.ChangeSet, world entity.Source) expression.Entities {
	if world == nil {
		world = &entity.World{}
	}
	changes := make(map[entity.ID]*entity.Entity)
	for block := range blocks(set) {
		_, changes[block[0].ID] = beforeAfter(block, world)
	}
	return entity.NewOverlay(world, changes)
}

// beforeAfter returns an entity as it is before and after changes of a block,
// nil where it is not or is not known.
func beforeAfter(changes entity.ChangeSet, world entity.Source) (before, after *entity.Entity) {
	c := changes[0]
	if whole(c) {
		return c.Old, c.New
	}
	if world == nil {
		return nil, nil
	}
	before, ok := world.Get(c.ID)
	if !ok {
		return nil, nil
	}
	after = before
	for _, c := range changes {
		after = c.On(after)
	}
	return before, after
}

func (f *Filter) chooses(c entity.Change, s *states) bool { return f.matches(c, s) != f.Not }

func (f *Filter) matches(c entity.Change, s *states) bool {
	switch {
	case f.IDs != nil && !slices.Contains(f.IDs, c.ID),
		f.Types != nil && !slices.ContainsFunc(f.Types, func(name string) bool { return ofType(c, name) }),
		f.Fields != nil && !slices.Contains(f.Fields, fieldOf(c)):
		return false
	case f.Where != nil && !slices.ContainsFunc(s.all(), f.holds):
		return false
	case f.Box != nil && !slices.ContainsFunc(s.all(), within(f.Box.has)):
		return false
	}
	return f.Near == nil || slices.ContainsFunc(s.all(), within(f.Near.has))
}

// ofType reports whether the entity is of the type before or after.
func ofType(c entity.Change, name string) bool {
	if !whole(c) {
		return c.Of != nil && c.Of.Type.Name == name
	}
	return c.Old != nil && c.Old.Type() == name || c.New != nil && c.New.Type() == name
}

// fieldOf returns the field that a change is of, "(unknown)" for those that the
// type does not have, "" for a whole entity.
func fieldOf(c entity.Change) string {
	if c.Op == entity.OpRaw {
		return UnknownFields
	}
	return c.Field
}

func (f *Filter) holds(s state) bool {
	v, err := f.Where.In(s.world).Evaluate(s.Entity)
	return err == nil && v == true
}

func within(has func([3]float64) bool) func(state) bool {
	return func(s state) bool {
		x, y, z, ok := entity.Position(s.Entity)
		return ok && has([3]float64{x, y, z})
	}
}
