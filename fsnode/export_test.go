package fsnode

import "time"

// ErrnoOf is the translator of errors.
var ErrnoOf = errnoOf

// SetInfancy says how long files beside the entities stay in memory. Nothing is
// in the mount yet.
func (m *Mounted) SetInfancy(d time.Duration) {
	m.fsys.nursery.mu.Lock()
	defer m.fsys.nursery.mu.Unlock()
	m.fsys.nursery.infancy = d
}

// Listed returns a channel that is closed when names keep nobody waiting.
func (m *Mounted) Listed() <-chan struct{} { return m.fsys.opening.listed }

// IsListing tells whether they still do.
func (m *Mounted) IsListing() bool { return m.fsys.opening.listing() }
