package realfs

import "github.com/worldfs/worldfs/internal/support/lockorder"

// Handed has the descriptors that were handed to the kernel, which reads and writes their
// files by itself.
type Handed struct {
	mu   lockorder.Mutex
	open map[*Desc]bool // guarded by mu
}

// Init readies it.
func (h *Handed) Init() {
	h.mu.Init(&classHanded)
	h.open = make(map[*Desc]bool)
}

// Add adds a descriptor, which it takes over.
func (h *Handed) Add(d *Desc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open[d] = true
}

// CloseOne closes a descriptor, unless Close has.
func (h *Handed) CloseOne(d *Desc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[d] {
		delete(h.open, d)
		d.Close()
	}
}

// Close closes what is left once the mount is gone: the kernel drops a RELEASE that was
// on its way.
func (h *Handed) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for d := range h.open {
		d.Close()
	}
	clear(h.open)
}
