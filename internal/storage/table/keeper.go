package table

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// Keeper is what looks after a table: it has what the entities became made durable, read,
// published and told. Processes that work in the files know only the Table.
type Keeper struct{ table *Table }

// Feed returns what happened to the entities, on its way into the history.
func (k *Keeper) Feed() *Feed { return k.table.feed }

// Pack returns the published pack, nil before there is one.
func (k *Keeper) Pack() *packfile.Pack {
	k.table.mu.RLock()
	defer k.table.mu.RUnlock()
	return k.table.pack
}

// Commit makes everything durable that is not yet, and brings state.db up to date with
// its log, in one update of state.db.
func (k *Keeper) Commit() error { return k.table.commits.commit() }

// Generation returns a number that goes up with every edit and every change of a
// directory's times, in this process.
func (k *Keeper) Generation() uint64 { return k.table.generation() }

// IsUnpublished reports whether there is something that the pack does not have.
func (k *Keeper) IsUnpublished() bool {
	k.table.mu.RLock()
	defer k.table.mu.RUnlock()
	return !k.table.clock.unpublished.IsZero()
}

// IsWatched reports whether there is an Invalidator: the world is mounted.
func (k *Keeper) IsWatched() bool {
	k.table.mu.RLock()
	defer k.table.mu.RUnlock()
	return k.table.watcher != nil
}

// End says that what comes to be now is as it is meant to be: no text is provisional
// any more.
func (k *Keeper) End() {
	k.table.mu.Lock()
	defer k.table.mu.Unlock()
	k.table.closing = true
}

// SetPlainTimes says what times files have that were never touched, and plain files.
func (k *Keeper) SetPlainTimes(times *state.PlainTimes) { k.table.plainTimes.Store(times) }

// Exists reports whether an entity has a file.
func (k *Keeper) Exists(id entity.ID) bool { return k.table.exists(id) }

// AttrOf returns the attributes of an entity's file, if there is one, but for its size,
// and whether it has any of its own. It makes no File for one that was never touched.
func (k *Keeper) AttrOf(id entity.ID) (a fileattr.Attr, own, ok bool) {
	t := k.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := t.slots[id]
	switch {
	case s == nil:
		return t.defaultAttr(), false, t.pack.Has(id)
	case s.file == nil:
		return a, false, false
	}
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	return s.file.attrsLocked(), s.file.own != nil, true
}

// StandsAs reports whether an entity has a file, and whether that holds a text.
func (k *Keeper) StandsAs(id entity.ID, text []byte) (stands, same bool, err error) {
	return k.table.standsAs(id, text)
}
