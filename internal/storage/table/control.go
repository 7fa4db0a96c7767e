package table

import (
	"bytes"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// Control is what the world has of a table: it has what the entities became made durable, read,
// published and told. Processes that work in the files know only the Table.
type Control struct{ table *Table }

// Feed returns what happened to the entities, on its way into the history.
func (ctl *Control) Feed() *Feed { return ctl.table.feed }

// Pack returns the published pack, nil before there is one.
func (ctl *Control) Pack() *packfile.Pack {
	ctl.table.mu.RLock()
	defer ctl.table.mu.RUnlock()
	return ctl.table.pack
}

// Commit makes everything durable that is not yet, and brings state.db up to date with
// its log, in one update of state.db.
func (ctl *Control) Commit() error { return ctl.table.commits.commit() }

// Generation returns a number that goes up with every edit and every change of a
// directory's times, in this process.
func (ctl *Control) Generation() uint64 { return ctl.table.generation() }

// IsUnpublished reports whether there is something that the pack does not have.
func (ctl *Control) IsUnpublished() bool {
	ctl.table.mu.RLock()
	defer ctl.table.mu.RUnlock()
	return !ctl.table.clock.unpublished.IsZero()
}

// IsWatched reports whether there is an Invalidator: the world is mounted.
func (ctl *Control) IsWatched() bool {
	ctl.table.mu.RLock()
	defer ctl.table.mu.RUnlock()
	return ctl.table.watcher != nil
}

// End says that what comes to be now is as it is meant to be: no text is provisional
// any more.
func (ctl *Control) End() {
	ctl.table.mu.Lock()
	defer ctl.table.mu.Unlock()
	ctl.table.closing = true
}

// SetPlainTimes says what times files have that were never touched, and plain files.
func (ctl *Control) SetPlainTimes(times *state.PlainTimes) { ctl.table.plainTimes.Store(times) }

// Exists reports whether an entity has a file.
func (ctl *Control) Exists(id entity.ID) bool { return ctl.table.exists(id) }

// AttrOf returns the attributes of an entity's file, if there is one, but for its size,
// and whether it has any of its own. It makes no File for one that was never touched.
func (ctl *Control) AttrOf(id entity.ID) (a fileattr.Attr, own, ok bool) {
	t := ctl.table
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
func (ctl *Control) StandsAs(id entity.ID, text []byte) (stands, same bool, err error) {
	is, stands, err := ctl.table.standing(id)
	return stands, stands && bytes.Equal(is.Text, text), err
}
