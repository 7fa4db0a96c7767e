package table

import (
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/latency"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Counters are what the table has done since it was made, and what it holds.
type Counters struct {
	Commits latency.Summary // updates of state.db with edits
	Bytes   uint64          // of texts that commits wrote

	Slots  int // entities that are known beyond the pack
	Dirty  int // of these, that wait for a commit
	Unread int // texts that wait for being read as entities
	Untold int // events that wait for the history
}

// counts is what the committer counts.
type counts struct {
	commits latency.Stopwatch

	mu    lockorder.Mutex
	bytes uint64
}

func (c *counts) wrote(u state.Update) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range u.Records {
		if r != nil {
			c.bytes += uint64(len(r.Text) + len(r.Good))
		}
	}
}

// Counters returns what the table has done since it was made.
func (ctl *Control) Counters() Counters {
	t, counts := ctl.table, &ctl.table.commits.counts
	c := Counters{Commits: counts.commits.Read()}
	counts.mu.Lock()
	c.Bytes = counts.bytes
	counts.mu.Unlock()
	t.mu.RLock()
	defer t.mu.RUnlock()
	c.Slots, c.Dirty, c.Unread, c.Untold = len(t.slots)+t.untouchedFiles.Len(), len(t.dirty), len(t.unjudged), len(t.feed.events)
	return c
}
