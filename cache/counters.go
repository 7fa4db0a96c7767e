package cache

import "github.com/worldfs/worldfs/internal/support/latency"

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

// counts is what the world counts besides its table.
type counts struct{ checkpoints, intakes latency.Stopwatch }

// Counters returns what the world has done since it was opened.
func (w *World) Counters() Counters {
	t := w.control.Counters()
	c := Counters{
		Commits: t.Commits, Checkpoints: w.counts.checkpoints.Read(), Intakes: w.counts.intakes.Read(), Bytes: t.Bytes,
		Slots: t.Slots, Dirty: t.Dirty, Unread: t.Unread, Untold: t.Untold,
		History: w.feed.Log().Size(), State: w.store.Size(),
	}
	c.Position, _ = w.feed.Log().Last() // a history that cannot be read is a finding
	return c
}
