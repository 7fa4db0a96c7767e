package realfs

import (
	"container/list"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Cache keeps the descriptors of those files that were read or written last. The kernel
// does not say what is open, so none is kept for being open: a file whose descriptor went
// is opened again by its name when it is needed. What stands for a file is a comparable
// value of the caller's.
type Cache struct {
	mu     lockorder.Mutex
	byFile map[any]*list.Element // guarded by mu
	lru    list.List             // of *cachedDesc, the last used first; guarded by mu
}

// cachedDesc is one descriptor. It is closed when it is evicted and no operation uses it
// any more; guarded by Cache.mu.
type cachedDesc struct {
	file    any
	desc    *Desc
	users   int
	evicted bool
}

// maxCachedDescs is how many descriptors are kept: as many files as are worked on at
// a time, and few beside what a process may have open.
const maxCachedDescs = 256

// Open readies the cache: from now on what is in it may be closed at any time.
func (a *Cache) Open() {
	a.mu.Init(&classDescs)
	caches.add(a)
}

// Close is called when the cache is not used any more, and empty.
func (a *Cache) Close() { caches.remove(a) }

// Use has do use the descriptor of a file, and reports whether there is one that
// serves.
func (a *Cache) Use(file any, flags int, do func(*Desc) error) (bool, error) {
	k := a.acquire(file, flags)
	if k == nil {
		return false, nil
	}
	defer a.release(k)
	return true, do(k.desc)
}

func (a *Cache) acquire(file any, flags int) *cachedDesc {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.byFile[file]
	if !ok {
		return nil
	}
	k := e.Value.(*cachedDesc)
	if !k.desc.Serves(flags) {
		return nil
	}
	a.lru.MoveToFront(e)
	k.users++
	return k
}

func (a *Cache) release(k *cachedDesc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k.users--
	k.closeIfDoneLocked()
}

func (k *cachedDesc) closeIfDoneLocked() {
	if k.evicted && k.users == 0 {
		k.desc.Close()
	}
}

// Put keeps a descriptor, which it takes over, in place of the one that the
// file had, unless descriptors are scarce.
func (a *Cache) Put(file any, d *Desc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byFile == nil {
		a.byFile = make(map[any]*list.Element)
	}
	a.removeLocked(a.byFile[file])
	if IsScarce(d.FD) {
		a.halveLocked()
		if d = d.Lower(); IsScarce(d.FD) {
			d.Close()
			return
		}
	}
	a.byFile[file] = a.lru.PushFront(&cachedDesc{file: file, desc: d})
	if a.lru.Len() > maxCachedDescs {
		a.removeLocked(a.lru.Back())
	}
}

// halveLocked closes half of the descriptors; those that were used last stay.
func (a *Cache) halveLocked() {
	for range (a.lru.Len() + 1) / 2 {
		a.removeLocked(a.lru.Back())
	}
}

// EvictAll lets go of every descriptor.
func (a *Cache) EvictAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.lru.Len() > 0 {
		a.removeLocked(a.lru.Back())
	}
}

// Drop lets go of a file's descriptor.
func (a *Cache) Drop(file any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.removeLocked(a.byFile[file])
}

func (a *Cache) removeLocked(e *list.Element) {
	if e == nil {
		return
	}
	k := a.lru.Remove(e).(*cachedDesc)
	delete(a.byFile, k.file)
	k.evicted = true
	k.closeIfDoneLocked()
}
