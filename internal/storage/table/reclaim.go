package table

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
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
//
// An entity that still has its file when the checkout has written another was edited: leave
// is to make what it holds durable elsewhere before it adopts the stray.
func (t *Table) Reclaim(all []Stray, leave func(former []Adopted) error) (has []Stray, moved int, err error) {
	var adopted, former []Adopted
	seen := make(map[entity.ID]bool)
	slices.SortStableFunc(all, func(a, b Stray) int { return t.inForce(b) - t.inForce(a) })
	for _, s := range all {
		if seen[s.ID] { // in two layouts: what is not in the one in force may be an edit
			continue
		}
		seen[s.ID] = true
		was, stands, err := t.standing(s.ID)
		switch {
		case err != nil:
			return nil, 0, fmt.Errorf("reclaim entity %d: %w", s.ID, err)
		case stands && bytes.Equal(was.Text, s.Text) || len(s.Text) == 0: // the checkout had not written it yet
			has = append(has, s)
			continue
		case stands && s.Layout != t.Layout():
			continue
		case stands:
			former = append(former, was)
		default:
			moved++
		}
		if s.Attr.Ino, err = t.inodes.Next(); err != nil {
			return nil, 0, fmt.Errorf("reclaim entity %d: %w", s.ID, err)
		}
		adopted, has = append(adopted, s.Adopted), append(has, s)
	}
	if err := t.reclaimAs(adopted, former, leave); err != nil {
		return nil, 0, fmt.Errorf("reclaim entities: %w", err)
	}
	return has, moved, nil
}

// reclaimAs adopts strays once what their entities held is left elsewhere.
func (t *Table) reclaimAs(adopted, former []Adopted, leave func([]Adopted) error) error {
	if len(former) > 0 {
		if err := leave(former); err != nil {
			return err
		}
		t.log.Warn("files that were edited stay where they were before shard changed", "count", len(former))
	}
	if len(adopted) == 0 {
		return nil
	}
	if _, err := t.AdoptAll(adopted); err != nil {
		return err
	}
	t.log.Warn("scratch files in entities' places are the entities' files again", "count", len(adopted))
	return nil
}

// inForce returns 1 for a stray of the layout in force, else 0.
func (t *Table) inForce(s Stray) int {
	if s.Layout == t.Layout() {
		return 1
	}
	return 0
}

// standing returns an entity's file as it is, and whether there is one.
func (t *Table) standing(id entity.ID) (a Adopted, stands bool, err error) {
	f, err := t.Lookup(id)
	if errors.Is(err, fs.ErrNotExist) {
		return a, false, nil
	} else if err != nil {
		return a, false, err
	}
	a.ID = id
	if a.Text, err = f.Text(); err == nil {
		a.Attr, err = f.Attr()
	}
	return a, true, err
}

// ReturnDeleted gives all entities whose deletion is not published their files back,
// with their last good values: the deletions are half of moves that were interrupted.
func (t *Table) ReturnDeleted() error {
	t.mu.RLock()
	texts := make(map[entity.ID][]byte)
	for _, s := range t.active {
		if s.file != nil || !t.pack.Has(s.id) {
			continue
		}
		if e := t.valuesLocked(s.id, s); e != nil {
			texts[s.id] = textcodec.Append(nil, e)
		}
	}
	t.mu.RUnlock()
	for id, text := range texts {
		if err := t.comeBack(id, text, t.defaultAttr()); err != nil {
			return fmt.Errorf("bring entity %d back: %w", id, err)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	t.log.Warn("entities come back that were deleted amid a change of shard", "count", len(texts))
	return t.SyncAll()
}

// Undelete brings the file of an entity back whose deletion is not published, with its
// last good values, and returns those. It returns nil where the entity is none of those.
func (ctl *Control) Undelete(id entity.ID) (*entity.Entity, error) {
	t := ctl.table
	t.mu.RLock()
	s, watcher := t.slots[id], t.watcher
	lost := s != nil && s.file == nil && t.pack.Has(id)
	var e *entity.Entity
	if lost {
		e = t.valuesLocked(id, s)
	}
	t.mu.RUnlock()
	if e == nil {
		return nil, nil
	}
	if err := t.comeBack(id, textcodec.Append(nil, e), t.defaultAttr()); err != nil {
		return nil, fmt.Errorf("bring entity %d back: %w", id, err)
	}
	if watcher != nil {
		watcher.Created(id)
	}
	return e, t.SyncAll()
}

// ComeBack gives an entity that has no file one with a text, of a mode and a time. The
// caller makes it durable.
func (ctl *Control) ComeBack(id entity.ID, text []byte, mode uint32, mtime time.Time) error {
	a := ctl.table.defaultAttr()
	a.Mode, a.Mtime = mode, mtime
	return ctl.table.comeBack(id, text, a)
}

// comeBack gives an entity that has no file one with a text, at a new inode number.
func (t *Table) comeBack(id entity.ID, text []byte, a fileattr.Attr) (err error) {
	if a.Ino, err = t.inodes.Next(); err != nil {
		return err
	}
	if a.Ctime = fileattr.FileTime(time.Time{}); a.Mtime.Equal(t.born) {
		a.Mtime = a.Ctime
	}
	_, err = t.AdoptSoon(id, a, text, true)
	return err
}

// LastLeft returns when the last file went, the zero time if that is not known.
func (ctl *Control) LastLeft() (at time.Time) {
	t := ctl.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.active {
		if s.file == nil && t.pack.Has(s.id) {
			at = later(at, s.at)
		}
	}
	return at
}
