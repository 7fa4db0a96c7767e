package table

import (
	"maps"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// View is a consistent reading of the entities: every entity's last good values at
// one moment.
type View struct {
	*entity.Overlay
	table   *Table
	pack    *packfile.Pack
	types   *entity.Types
	changes map[entity.ID]*entity.Entity // beyond the pack; nil: not there
	seq     uint64                       // the last edit that it may have
	lacks   map[entity.ID]bool           // those whose last edit it does not have although that is no later
}

var _ entity.Source = (*View)(nil)

// Snapshot returns the entities as they are now. Deletions that are younger than two
// seconds count only when final.
func (ctl *Control) Snapshot(final bool) *View {
	t := ctl.table
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

// With returns a view that has further changes.
func (v *View) With(changes map[entity.ID]*entity.Entity) *View {
	n := *v
	n.changes = maps.Clone(v.changes)
	maps.Copy(n.changes, changes)
	n.Overlay = entity.NewOverlay(n.pack, n.changes)
	return &n
}

// Pack returns the pack that the view was made of.
func (v *View) Pack() *packfile.Pack { return v.pack }

// Changes returns what the view has beyond its pack, nil of what it has not. The caller
// does not change it.
func (v *View) Changes() map[entity.ID]*entity.Entity { return v.changes }

// Seq returns the number of the last edit that the view may have.
func (v *View) Seq() uint64 { return v.seq }

// Lacks returns the entities whose last edit the view does not have although that is no
// later than Seq. The caller does not change it.
func (v *View) Lacks() map[entity.ID]bool { return v.lacks }

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

// Edits returns the number of the last edit, counted from 1: 0 is no number.
func (t *Table) Edits() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.seq + 1
}

// Types returns the types in force.
func (t *Table) Types() *entity.Types {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.types
}
