package cache

import (
	"iter"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// View is a consistent reading of a world: every entity's last good values at
// one moment. It implements entity.Source.
type View struct {
	world   *World
	pack    *packfile.Pack
	types   *entity.Types
	changes map[entity.ID]*entity.Entity // beyond the pack; nil: not there
	ids     []entity.ID                  // of changes, sorted
	seq     uint64                       // the last edit that it has
}

// View reads all that has changed and returns the world as it is now.
func (w *World) View() (*View, error) {
	if err := w.settle(true); err != nil {
		return nil, err
	}
	return w.snapshot(true), nil
}

// snapshot returns the world as it is now. Deletions that are younger than two
// seconds count only when final.
func (w *World) snapshot(final bool) *View {
	w.mu.RLock()
	defer w.mu.RUnlock()
	v := &View{world: w, pack: w.pack, types: w.types, seq: w.seq, changes: make(map[entity.ID]*entity.Entity)}
	now := w.now()
	for id, s := range w.slots {
		switch {
		case s.file == nil && (final || now.Sub(s.goneAt) >= provisional):
			if w.pack.Has(id) {
				v.changes[id] = nil
			}
		case s.origin == itsOwn:
			v.changes[id] = s.good
		case s.origin == nowhere && w.pack.Has(id):
			v.changes[id] = nil
		}
	}
	v.ids = slices.Sorted(maps.Keys(v.changes))
	return v
}

// with returns a view that has further changes.
func (v *View) with(changes map[entity.ID]*entity.Entity) *View {
	n := *v
	n.changes = maps.Clone(v.changes)
	maps.Copy(n.changes, changes)
	n.ids = slices.Sorted(maps.Keys(n.changes))
	return &n
}

// World returns the world's ID.
func (v *View) World() entity.GUID { return v.world.dir.ID }

// Types returns the types in force.
func (v *View) Types() *entity.Types { return v.types }

// Text returns the bytes of an entity's file as it is served now.
func (v *View) Text(id entity.ID) ([]byte, error) {
	f, err := v.world.Lookup(id)
	if err != nil {
		return nil, err
	}
	return f.Text()
}

// Len returns how many entities there are.
func (v *View) Len() int {
	n := v.pack.Len()
	for id, e := range v.changes {
		switch inPack := v.pack.Has(id); {
		case e == nil && inPack:
			n--
		case e != nil && !inPack:
			n++
		}
	}
	return n
}

// Get returns an entity's last good values.
func (v *View) Get(id entity.ID) (*entity.Entity, bool) {
	if e, ok := v.changes[id]; ok {
		return e, e != nil
	}
	return v.pack.Get(id)
}

// All returns the entities in the order of their IDs.
func (v *View) All() iter.Seq[*entity.Entity] {
	return func(yield func(*entity.Entity) bool) {
		i := 0
		own := func(below entity.ID, through bool) bool {
			for ; i < len(v.ids) && (v.ids[i] < below || through); i++ {
				if e := v.changes[v.ids[i]]; e != nil && !yield(e) {
					return false
				}
			}
			return true
		}
		for n := range v.pack.Len() {
			id := v.pack.IDAt(n)
			if !own(id, false) {
				return
			}
			if _, changed := v.changes[id]; changed {
				continue
			}
			if e, ok := v.pack.Get(id); ok && !yield(e) {
				return
			}
		}
		own(0, true)
	}
}

// Types returns the types in force.
func (w *World) Types() *entity.Types {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.types
}
