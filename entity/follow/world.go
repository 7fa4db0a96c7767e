package follow

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// World returns the entities of a world, nil of an ID that has none.
type World func(entity.ID) *entity.Entity

// In returns a world that is read from a source.
func In(s entity.Source) World {
	return func(id entity.ID) *entity.Entity {
		e, _ := s.Get(id)
		return e
	}
}

// Carries reports whether a field is of the pose of a mounted entity that stands where its
// parent carries it: the field is derived then, and its value is no edit.
func (w World) Carries(e *entity.Entity, field string) bool {
	m := e.Layout.Type.Mount
	return m != nil && slices.Contains(m.Pose, field) && w.has(e)
}

// Derived returns the fields of the pose of an entity that stands where its parent carries it.
func (w World) Derived(id entity.ID) []string {
	if e := w(id); e != nil && w.has(e) {
		return slices.Clone(e.Layout.Type.Mount.Pose)
	}
	return nil
}

// MayCarry reports whether a field is of the pose of a mounted entity that its parent may
// carry, in a world of which nothing else is known.
func MayCarry(e *entity.Entity, field string) bool {
	m := e.Layout.Type.Mount
	return m != nil && slices.Contains(m.Pose, field) && entity.MayBeCarried(e)
}

// has reports whether a mounted entity stands where its parent carries it.
func (w World) has(e *entity.Entity) bool {
	to, ok := w.carried(e)
	if !ok {
		return false
	}
	at, _ := to.Has(e)
	return at
}

// carried returns where its parent puts an entity; ok is false where it has none that says.
func (w World) carried(e *entity.Entity) (p entity.Place, ok bool) {
	on := e.MountParent()
	if on == 0 {
		return p, false
	}
	parent := w(on)
	if parent == nil {
		return p, false
	}
	return entity.Carried(e, parent)
}

// WithoutDerived returns a change set without the changes of poses that a world derives: they
// are no edits, and what they follow from is changed instead.
func (w World) WithoutDerived(set entity.ChangeSet) entity.ChangeSet {
	return slices.DeleteFunc(set, func(c entity.Change) bool {
		if c.Field == "" {
			return false
		}
		e := w(c.ID)
		return e != nil && w.Carries(e, c.Field)
	})
}

// WithoutDerivedOf returns a change set without the poses that are as one of some worlds has
// them that derives them: they are no edits.
func WithoutDerivedOf(set entity.ChangeSet, worlds ...entity.Source) entity.ChangeSet {
	return slices.DeleteFunc(set, func(c entity.Change) bool {
		return c.Field != "" && slices.ContainsFunc(worlds, func(s entity.Source) bool {
			e := In(s)(c.ID)
			return e != nil && e.Value(c.Field).Equal(c.To) && In(s).Carries(e, c.Field)
		})
	})
}
