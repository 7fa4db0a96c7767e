package fsnode

import (
	"time"

	"github.com/worldfs/worldfs/entity"
)

// ErrnoOf is the translator of errors.
var ErrnoOf = errnoOf

// SetFlushDelay says how long files beside the entities stay in memory. Nothing is
// in the mount yet.
func (m *Mounted) SetFlushDelay(d time.Duration) {
	m.fsys.mem.mu.Lock()
	defer m.fsys.mem.mu.Unlock()
	m.fsys.mem.flushDelay = d
}

// Listed returns a channel that is closed when names keep nobody waiting.
func (m *Mounted) Listed() <-chan struct{} { return m.fsys.barrier.Listed() }

// IsListing reports whether they still do.
func (m *Mounted) IsListing() bool { return m.fsys.barrier.Listing() }

// Announce has watchers told that an entity was "changed", "created" or "removed",
// whatever it was.
func (m *Mounted) Announce(id entity.ID, what string) {
	a := event{id: id, what: map[string]change{"changed": changed, "created": created, "removed": removed}[what]}
	a.path = m.fsys.world.Layout().Path(id)
	if file, err := m.fsys.world.Lookup(id); err == nil {
		a.ino = file.Ino()
	}
	q := m.fsys.replayer.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addLocked(a)
	q.tellLocked()
}

// Replaying returns the process that replays, 0 if there is none.
func (m *Mounted) Replaying() int {
	a := m.fsys.replayer
	a.turn.Lock()
	defer a.turn.Unlock()
	if a.process == nil {
		return 0
	}
	return a.process.PID()
}

// MaxActs is how many events wait, at most.
const MaxEvents = maxEvents
