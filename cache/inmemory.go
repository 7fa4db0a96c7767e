package cache

import "github.com/worldfs/worldfs/internal/storage/table"

// A world that is opened in memory has a copy of state.db in memory and writes
// nothing: what its log has and what came in from outside is published in memory
// alone. So a world can be read whose disk has no room for the work that opening it
// may be, or is read-only. It is thrown away when it is closed.

// InMemory reports whether the world is open in memory.
func (w *World) InMemory() bool { return w.store.InMemory() }

// publishInMemoryLocked has the view be the world as the callers see it, without a pack
// on the disk. The caller has publishing.
func (pub *publisher) publishInMemoryLocked(v *View, in *table.Intake) error {
	next, err := pub.encode(v)
	if err != nil {
		return err
	}
	pub.finish(next, v, in)
	return nil
}
