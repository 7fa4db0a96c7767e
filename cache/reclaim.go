package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/textcodec"
)

// Stray is a scratch file that a killed daemon left in an entity's place of some
// layout. A checkout across a change of shard writes such files after it has deleted
// those in the old places, and changes world.toml last.
type Stray struct {
	Adopted               // without an inode number
	Layout  layout.Layout // in which it lies in its entity's place
}

// Reclaim makes entities' texts of strays. One that lies in a place of the layout in
// force is its entity's text, as it is for a mount that sees the layout change; one of
// another layout is where the entity has no file. It returns the strays whose bytes the
// world has durably, or which have none: these may go. A stray that differs from the
// file that an entity has stays what it is. moved is how many entities had no file.
func (w *World) Reclaim(all []Stray) (has []Stray, moved int, err error) {
	var adopted []Adopted
	seen := make(map[entity.ID]bool)
	for _, s := range all {
		if seen[s.ID] { // in two layouts: the next call sees which one is left
			continue
		}
		seen[s.ID] = true
		stands, same, err := w.standsAs(s.ID, s.Text)
		switch {
		case err != nil:
			return nil, 0, fmt.Errorf("reclaim entity %d: %w", s.ID, err)
		case same || len(s.Text) == 0: // the checkout had not written it yet
		case stands && s.Layout != w.Layout():
			continue
		default:
			if s.Attr.Ino, err = w.inodes.Next(); err != nil {
				return nil, 0, fmt.Errorf("reclaim entity %d: %w", s.ID, err)
			}
			if adopted = append(adopted, s.Adopted); !stands {
				moved++
			}
		}
		has = append(has, s)
	}
	if len(adopted) > 0 {
		if _, err := w.AdoptAll(adopted); err != nil {
			return nil, 0, fmt.Errorf("reclaim entities: %w", err)
		}
		w.log.Warn("scratch files in entities' places are the entities' files again", "count", len(adopted))
	}
	return has, moved, nil
}

// standsAs reports whether an entity has a file, and whether that holds a text.
func (w *World) standsAs(id entity.ID, text []byte) (stands, same bool, err error) {
	f, err := w.Lookup(id)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	} else if err != nil {
		return false, false, err
	}
	now, _, err := f.bytes()
	return true, bytes.Equal(now, text), err
}

// ReturnDeleted gives all entities whose deletion is not published their files back,
// with their last good values: the deletions are half of moves that were interrupted.
func (w *World) ReturnDeleted() error {
	w.mu.RLock()
	texts := make(map[entity.ID][]byte)
	for _, s := range w.active {
		if s.file != nil || !w.pack.Has(s.id) {
			continue
		}
		if e := w.valuesLocked(s.id, s); e != nil {
			texts[s.id] = textcodec.Append(nil, e)
		}
	}
	w.mu.RUnlock()
	for id, text := range texts {
		if err := w.comeBack(id, text, w.defaultAttr()); err != nil {
			return fmt.Errorf("bring entity %d back: %w", id, err)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	w.log.Warn("entities come back that were deleted amid a change of shard", "count", len(texts))
	return w.SyncAll()
}
