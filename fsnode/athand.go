package fsnode

import (
	"container/list"
	"sync"
)

// atHand keeps the descriptors of those scratch files that were read or written
// last. The kernel does not say what is open, so none is kept for being open: a
// file whose descriptor went is opened again by its name when it is needed.
type atHand struct {
	mu   sync.Mutex
	of   map[*scratchBacking]*list.Element // guarded by mu
	used list.List                         // of *kept, the last used first; guarded by mu
}

// kept is one descriptor. It is closed when it is out of the table and nobody
// uses it any more; guarded by atHand.mu.
type kept struct {
	of    *scratchBacking
	d     *desc
	users int
	out   bool
}

// maxAtHand is how many descriptors are kept: as many files as are worked on at
// a time, and few beside what a process may have open.
const maxAtHand = 256

// use has do use the descriptor of a file, and tells whether there is one that
// serves.
func (a *atHand) use(b *scratchBacking, flags int, do func(*desc) error) (bool, error) {
	k := a.take(b, flags)
	if k == nil {
		return false, nil
	}
	defer a.release(k)
	return true, do(k.d)
}

func (a *atHand) take(b *scratchBacking, flags int) *kept {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.of[b]
	if !ok {
		return nil
	}
	k := e.Value.(*kept)
	if !k.d.serves(flags) {
		return nil
	}
	a.used.MoveToFront(e)
	k.users++
	return k
}

func (a *atHand) release(k *kept) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k.users--
	k.closeIfDone()
}

func (k *kept) closeIfDone() {
	if k.out && k.users == 0 {
		k.d.close()
	}
}

// put keeps a descriptor, which it takes over, in place of the one that the
// file had, unless descriptors are scarce.
func (a *atHand) put(b *scratchBacking, d *desc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = make(map[*scratchBacking]*list.Element)
	}
	a.remove(a.of[b])
	if isScarce(d.n) {
		a.halve()
		if d = d.lower(); isScarce(d.n) {
			d.close()
			return
		}
	}
	a.of[b] = a.used.PushFront(&kept{of: b, d: d})
	if a.used.Len() > maxAtHand {
		a.remove(a.used.Back())
	}
}

// halve lets go of half of the descriptors; those that were used last stay. The
// caller has mu.
func (a *atHand) halve() {
	for range (a.used.Len() + 1) / 2 {
		a.remove(a.used.Back())
	}
}

// evict lets go of every descriptor.
func (a *atHand) evict() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.used.Len() > 0 {
		a.remove(a.used.Back())
	}
}

// drop lets go of a file's descriptor.
func (a *atHand) drop(b *scratchBacking) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(a.of[b])
}

func (a *atHand) remove(e *list.Element) {
	if e == nil {
		return
	}
	k := a.used.Remove(e).(*kept)
	delete(a.of, k.of)
	k.out = true
	k.closeIfDone()
}
