package fsnode

import (
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/replay"
)

// SetFlushDelay says how long files beside the entities stay in memory. Nothing is
// in the mount yet.
func (m *Mounted) SetFlushDelay(d time.Duration) {
	m.fsys.mem.SetFlushDelay(d)
}

// Listed returns a channel that is closed when names keep nobody waiting.
func (m *Mounted) Listed() <-chan struct{} { return m.fsys.barrier.Listed() }

// IsListing reports whether they still do.
func (m *Mounted) IsListing() bool { return m.fsys.barrier.Listing() }

// Announce has watchers told that an entity was "changed", "created" or "removed",
// whatever it was.
func (m *Mounted) Announce(id entity.ID, what string) {
	m.fsys.replayer.Announce(id, map[string]replay.Change{"changed": replay.Changed, "created": replay.Created, "removed": replay.Removed}[what])
}

// Replaying returns the process that replays, 0 if there is none.
func (m *Mounted) Replaying() int {
	return m.fsys.replayer.PID()
}

// MaxEvents is how many events wait, at most.
const MaxEvents = replay.MaxEvents
