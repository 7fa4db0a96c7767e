package fsnode

import (
	"container/list"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// descCache keeps the descriptors of those scratch files that were read or written
// last. The kernel does not say what is open, so none is kept for being open: a
// file whose descriptor went is opened again by its name when it is needed.
type descCache struct {
	mu     lockorder.Mutex
	byFile map[*scratchBacking]*list.Element // guarded by mu
	lru    list.List                         // of *kept, the last used first; guarded by mu
}

// cachedDesc is one descriptor. It is closed when it is evicted and no operation uses it any
// more; guarded by descCache.mu.
type cachedDesc struct {
	file    *scratchBacking
	desc    *desc
	users   int
	evicted bool
}

// maxCachedDescs is how many descriptors are kept: as many files as are worked on at
// a time, and few beside what a process may have open.
const maxCachedDescs = 256

// use has do use the descriptor of a file, and reports whether there is one that
// serves.
func (a *descCache) use(b *scratchBacking, flags int, do func(*desc) error) (bool, error) {
	k := a.acquire(b, flags)
	if k == nil {
		return false, nil
	}
	defer a.release(k)
	return true, do(k.desc)
}

func (a *descCache) acquire(b *scratchBacking, flags int) *cachedDesc {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.byFile[b]
	if !ok {
		return nil
	}
	k := e.Value.(*cachedDesc)
	if !k.desc.serves(flags) {
		return nil
	}
	a.lru.MoveToFront(e)
	k.users++
	return k
}

func (a *descCache) release(k *cachedDesc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k.users--
	k.closeIfDoneLocked()
}

func (k *cachedDesc) closeIfDoneLocked() {
	if k.evicted && k.users == 0 {
		k.desc.close()
	}
}

// put keeps a descriptor, which it takes over, in place of the one that the
// file had, unless descriptors are scarce.
func (a *descCache) put(b *scratchBacking, d *desc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byFile == nil {
		a.byFile = make(map[*scratchBacking]*list.Element)
	}
	a.removeLocked(a.byFile[b])
	if isScarce(d.n) {
		a.halveLocked()
		if d = d.lower(); isScarce(d.n) {
			d.close()
			return
		}
	}
	a.byFile[b] = a.lru.PushFront(&cachedDesc{file: b, desc: d})
	if a.lru.Len() > maxCachedDescs {
		a.removeLocked(a.lru.Back())
	}
}

// halveLocked closes half of the descriptors; those that were used last stay.
func (a *descCache) halveLocked() {
	for range (a.lru.Len() + 1) / 2 {
		a.removeLocked(a.lru.Back())
	}
}

// evictAll lets go of every descriptor.
func (a *descCache) evictAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.lru.Len() > 0 {
		a.removeLocked(a.lru.Back())
	}
}

// drop lets go of a file's descriptor.
func (a *descCache) drop(b *scratchBacking) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.removeLocked(a.byFile[b])
}

func (a *descCache) removeLocked(e *list.Element) {
	if e == nil {
		return
	}
	k := a.lru.Remove(e).(*cachedDesc)
	delete(a.byFile, k.file)
	k.evicted = true
	k.closeIfDoneLocked()
}
