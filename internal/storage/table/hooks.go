package table

import (
	"time"

	"github.com/worldfs/worldfs/entity"
)

// Hooks break a table or hold it up, for tests of the packages above.
type Hooks struct{ t *Table }

// Hooks returns what tests break the table with.
func (ctl *Control) Hooks() Hooks { return Hooks{ctl.table} }

// HoldCommits lets no commit begin until release is called.
func (h Hooks) HoldCommits() (release func()) {
	h.t.commits.committing.Lock()
	return h.t.commits.committing.Unlock
}

// CommitUpTo makes durable what was edited up to a generation.
func (h Hooks) CommitUpTo(generation uint64) error { return h.t.commits.commitUpTo(generation) }

// LoseValues has an entity's values be nowhere, as where a record was damaged.
func (h Hooks) LoseValues(id entity.ID) {
	h.t.mu.Lock()
	defer h.t.mu.Unlock()
	h.t.slotOfLocked(id).origin = nowhere
}

// SetLossPatience sets how long a great loss is waited for to come back.
func (h Hooks) SetLossPatience(d time.Duration) {
	h.t.mu.Lock()
	defer h.t.mu.Unlock()
	h.t.lossPatience = d
}

// HoldsEmptied reports whether the state has bytes from before a file was emptied.
func (h Hooks) HoldsEmptied() bool {
	h.t.mu.RLock()
	defer h.t.mu.RUnlock()
	return len(h.t.emptied) > 0
}
