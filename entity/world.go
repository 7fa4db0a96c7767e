package entity

import (
	"iter"
	"maps"
	"slices"
)

// World is a whole world in memory: types and entities by ID. The zero World
// is empty; it is not safe for concurrent change.
type World struct {
	ID    GUID // tells worlds apart; stays the same for a world's whole life
	Types *Types

	byID map[ID]*Entity
	ids  []ID // sorted; nil when it must be made anew
}

// NewWorld returns an empty world.
func NewWorld(id GUID, types *Types) *World {
	return &World{ID: id, Types: types, byID: make(map[ID]*Entity)}
}

// Source is where entities are read from: a world in memory, or a pack.
type Source interface {
	Len() int
	Get(id ID) (*Entity, bool)
	All() iter.Seq[*Entity] // in the order of their IDs
}

// has reports whether a source has an entity. Some know without reading it.
func has(s Source, id ID) bool {
	if s, ok := s.(interface{ Has(ID) bool }); ok {
		return s.Has(id)
	}
	_, ok := s.Get(id)
	return ok
}

// Len returns how many entities there are.
func (w *World) Len() int { return len(w.byID) }

// Get returns the entity of that ID.
func (w *World) Get(id ID) (*Entity, bool) {
	e, ok := w.byID[id]
	return e, ok
}

// Put adds an entity, in place of one of that ID.
func (w *World) Put(e *Entity) {
	if w.byID == nil {
		w.byID = make(map[ID]*Entity)
	}
	if _, ok := w.byID[e.ID]; !ok {
		w.ids = nil
	}
	w.byID[e.ID] = e
}

// Delete takes an entity out; there need be none of that ID.
func (w *World) Delete(id ID) {
	if _, ok := w.byID[id]; ok {
		delete(w.byID, id)
		w.ids = nil
	}
}

// IDs returns the IDs in order. The caller does not change them.
func (w *World) IDs() []ID {
	if w.ids == nil {
		w.ids = slices.Sorted(maps.Keys(w.byID))
	}
	return w.ids
}

// IDAt returns the ID of entity i in the order of IDs, 0 <= i < Len.
func (w *World) IDAt(i int) ID { return w.IDs()[i] }

// All returns the entities in the order of their IDs.
func (w *World) All() iter.Seq[*Entity] {
	return func(yield func(*Entity) bool) {
		for _, id := range w.IDs() {
			if !yield(w.byID[id]) {
				return
			}
		}
	}
}
