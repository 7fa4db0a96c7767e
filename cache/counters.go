package cache

import (
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/support/latency"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Counters are what the world has done since it was opened, and what it holds.
type Counters struct {
	Commits     latency.Summary `json:"commits"`     // updates of state.db with edits
	Checkpoints latency.Summary `json:"checkpoints"` // edits made the next pack
	Intakes     latency.Summary `json:"intakes"`     // what came in through the one door
	Bytes       uint64          `json:"bytes"`       // of texts that commits wrote

	Slots    int    `json:"slots"`         // entities that are known beyond the pack
	Dirty    int    `json:"dirty"`         // of these, that wait for a commit
	Unread   int    `json:"unread"`        // texts that wait for being read as entities
	Untold   int    `json:"untold"`        // events that wait for the history
	Position uint64 `json:"position"`      // the history's last
	History  int64  `json:"history_bytes"` // of the history
	State    int64  `json:"state_bytes"`   // of state.db
}

// counts is what the world counts.
type counts struct {
	commits, checkpoints, intakes latency.Stopwatch

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

// Counters returns what the world has done since it was opened.
func (w *World) Counters() Counters {
	c := Counters{
		Commits: w.counts.commits.Read(), Checkpoints: w.counts.checkpoints.Read(), Intakes: w.counts.intakes.Read(),
		History: w.feed.log.Size(), State: w.store.Size(),
	}
	c.Position, _ = w.feed.log.Last() // a history that cannot be read is a finding
	w.counts.mu.Lock()
	c.Bytes = w.counts.bytes
	w.counts.mu.Unlock()
	w.mu.RLock()
	defer w.mu.RUnlock()
	c.Slots, c.Dirty, c.Unread, c.Untold = len(w.slots)+w.untouchedFiles.Len(), len(w.dirty), len(w.unjudged), len(w.feed.events)
	return c
}
