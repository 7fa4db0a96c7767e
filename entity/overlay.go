package entity

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Overlay is a source with changes on top: what a source would be if they were
// made. It costs as much as there are changes. Neither the source nor the
// changes may change while it is in use.
type Overlay struct {
	under   Source
	changes map[ID]*Entity // nil: not there
	ids     []ID           // of changes, in order
	length  int
}

var _ Differ = (*Overlay)(nil)

// NewOverlay returns under with the changes made; a nil entity is one that is
// not there.
func NewOverlay(under Source, changes map[ID]*Entity) *Overlay {
	o := &Overlay{under: under, changes: changes, ids: slices.Sorted(maps.Keys(changes)), length: under.Len()}
	for id, e := range changes {
		_, had := under.Get(id)
		switch {
		case had && e == nil:
			o.length--
		case !had && e != nil:
			o.length++
		}
	}
	return o
}

// Under returns the source and the changes. The caller does not change them.
func (o *Overlay) Under() (Source, map[ID]*Entity) { return o.under, o.changes }

// Len returns how many entities there are.
func (o *Overlay) Len() int { return o.length }

// Get returns the entity of that ID.
func (o *Overlay) Get(id ID) (*Entity, bool) {
	if e, changed := o.changes[id]; changed {
		return e, e != nil
	}
	return o.under.Get(id)
}

// Has reports whether there is an entity of that ID.
func (o *Overlay) Has(id ID) bool {
	if e, changed := o.changes[id]; changed {
		return e != nil
	}
	return has(o.under, id)
}

// All returns the entities in the order of their IDs.
func (o *Overlay) All() iter.Seq[*Entity] {
	return func(yield func(*Entity) bool) {
		ids := o.ids
		upTo := func(id ID) bool { // yields the changed ones up to an ID
			for len(ids) > 0 && ids[0] <= id {
				e := o.changes[ids[0]]
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
			if _, changed := o.changes[e.ID]; !changed && !yield(e) {
				return
			}
		}
		upTo(MaxID)
	}
}

// IDs returns the entities' IDs in order. Where the source under it knows them without
// reading entities, none is read.
func (o *Overlay) IDs() iter.Seq[ID] {
	under, ok := o.under.(interface{ IDs() iter.Seq[ID] })
	return func(yield func(ID) bool) {
		if !ok {
			for e := range o.All() {
				if !yield(e.ID) {
					return
				}
			}
			return
		}
		ids := o.ids
		upTo := func(id ID) bool { // yields the changed ones up to an ID
			for ; len(ids) > 0 && ids[0] <= id; ids = ids[1:] {
				if o.changes[ids[0]] != nil && !yield(ids[0]) {
					return false
				}
			}
			return true
		}
		for id := range under.IDs() {
			if !upTo(id) {
				return
			}
			if _, changed := o.changes[id]; !changed && !yield(id) {
				return
			}
		}
		upTo(MaxID)
	}
}

// MountParents does what the function MountParents does.
func (o *Overlay) MountParents() iter.Seq2[ID, ID] {
	return func(yield func(ID, ID) bool) {
		for id, on := range MountParents(o.under) {
			if _, changed := o.changes[id]; !changed && !yield(id, on) {
				return
			}
		}
		for _, id := range o.ids {
			e := o.changes[id]
			if e == nil {
				continue
			}
			if on := e.MountParent(); on != 0 && !yield(id, on) {
				return
			}
		}
	}
}

// Err returns the first error that reading what is under it met, if that tells.
func (o *Overlay) Err() error {
	if s, ok := o.under.(interface{ Err() error }); ok {
		return s.Err()
	}
	return nil
}

// Differing finds out how s differs by finding out how the source under it
// does, and looking at the changes.
func (o *Overlay) Differing(s Source) (pairs iter.Seq2[*Entity, *Entity], ok bool) {
	ids := slices.Clone(o.ids)
	if other, isOverlay := s.(*Overlay); isOverlay && other.under == o.under {
		ids = append(ids, other.ids...)
	} else if s != o.under {
		for a, b := range Differing(o.under, s) {
			ids = append(ids, cmp.Or(a, b).ID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return func(yield func(*Entity, *Entity) bool) {
		for _, id := range ids {
			a, _ := o.Get(id)
			b, _ := s.Get(id)
			if a == nil && b == nil || a != nil && b != nil && a.Same(b) {
				continue
			}
			if !yield(a, b) {
				return
			}
		}
	}, true
}
