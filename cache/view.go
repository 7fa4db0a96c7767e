package cache

import (
	"maps"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// View is a consistent reading of a world: every entity's last good values at
// one moment.
type View struct {
	*entity.Overlay
	table   *table
	pack    *packfile.Pack
	types   *entity.Types
	changes map[entity.ID]*entity.Entity // beyond the pack; nil: not there
	seq     uint64                       // the last edit that it may have
	lacks   map[entity.ID]bool           // those whose last edit it does not have although that is no later

	lossAllowed bool      // what is made of it may be a great loss
	meant       entity.ID // an entity that is no part of one: see Means
}

var _ entity.Source = (*View)(nil)

// View reads all that has changed and returns the world as it is now.
func (w *World) View() (*View, error) {
	if err := w.catchUp(); err != nil {
		return nil, err
	}
	return w.snapshot(true), nil
}

// catchUp reads what has changed: types/ first, then the texts, under those
// types. All that is asked of the world is answered after it, mounted or not.
func (w *World) catchUp() error {
	if w.decls.lookAtTypes().changed() {
		w.publishing.Lock()
		defer w.publishing.Unlock()
		return w.catchUpLocked()
	}
	return w.judgeTexts(true)
}

// catchUpLocked is catchUp for a caller that has publishing.
func (w *World) catchUpLocked() error {
	if err := w.decls.reloadTypesLocked(); err != nil {
		return err
	}
	return w.judgeTexts(true)
}

// snapshot returns the world as it is now. Deletions that are younger than two
// seconds count only when final.
func (t *table) snapshot(final bool) *View {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v := &View{
		table: t, pack: t.pack, types: t.types, seq: t.seq,
		changes: make(map[entity.ID]*entity.Entity), lacks: make(map[entity.ID]bool),
	}
	now := t.now()
	for id, s := range t.active {
		gone := s.file == nil && (final || now.Sub(s.at) >= provisional)
		if s.file != nil && !s.judged || s.file == nil && !gone && (s.origin == itsOwn || t.pack.Has(id)) {
			v.lacks[id] = true
		}
		switch {
		case gone:
			if t.pack.Has(id) {
				v.changes[id] = nil
			}
		case s.origin == itsOwn:
			v.changes[id] = s.good
		case s.origin == nowhere && t.pack.Has(id):
			v.changes[id] = nil
		}
	}
	v.Overlay = entity.NewOverlay(v.pack, v.changes)
	return v
}

// hasLocked reports whether the view has the last edit of a slot. The caller has mu.
func (v *View) hasLocked(s *slot) bool { return s.seq <= v.seq && !v.lacks[s.id] }

// with returns a view that has further changes.
func (v *View) with(changes map[entity.ID]*entity.Entity) *View {
	n := *v
	n.changes = maps.Clone(v.changes)
	maps.Copy(n.changes, changes)
	n.Overlay = entity.NewOverlay(n.pack, n.changes)
	return &n
}

// World returns the world's ID.
func (v *View) World() entity.GUID { return v.pack.World() }

// Types returns the types in force.
func (v *View) Types() *entity.Types { return v.types }

// Text returns the bytes of an entity's file as it is served now.
func (v *View) Text(id entity.ID) ([]byte, error) {
	f, err := v.table.Lookup(id)
	if err != nil {
		return nil, err
	}
	return f.Text()
}

// Edits returns a number that goes up with every edit of an entity.
func (t *table) Edits() uint64 { return t.edits() }

// Types returns the types in force.
func (t *table) Types() *entity.Types {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.types
}
