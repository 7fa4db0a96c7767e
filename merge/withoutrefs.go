package merge

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
)

// EachRef calls f with every ref of an entity that refers to something.
func EachRef(e *entity.Entity, f func(id entity.ID, direct bool)) {
	for i, field := range e.Layout.Fields {
		reference.Each(&field.Shape, e.Values[i], f)
	}
}

// WithoutRefs returns an entity without some of its refs, as a merge takes them away of
// what the other side deleted; the entity itself if it has none of them.
func WithoutRefs(e *entity.Entity, gone func(id entity.ID, direct bool) bool) *entity.Entity {
	has := false
	EachRef(e, func(id entity.ID, direct bool) { has = has || gone(id, direct) })
	if !has {
		return e
	}
	e = e.Clone()
	for i, field := range e.Layout.Fields {
		e.Values[i] = reference.Replace(&field.Shape, e.Values[i], func(id entity.ID, direct bool) entity.ID {
			if gone(id, direct) {
				return 0
			}
			return id
		})
	}
	return e
}

// WithRefs returns an entity with its refs replaced, the entity itself if all stay.
func WithRefs(e *entity.Entity, to func(id entity.ID) entity.ID) *entity.Entity {
	moves := false
	EachRef(e, func(id entity.ID, _ bool) { moves = moves || to(id) != id })
	if !moves {
		return e
	}
	e = e.Clone()
	for i, field := range e.Layout.Fields {
		e.Values[i] = reference.Replace(&field.Shape, e.Values[i], func(id entity.ID, _ bool) entity.ID { return to(id) })
	}
	return e
}
