package place

import (
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// Handle is how a regular file is worked with. Each operation finds it by its location,
// unless its descriptor is cached. Without a name it has a descriptor of its own until
// the kernel forgets it. A lock of its user's guards it: a method that ends in Locked
// is called with that for writing, the others with it for reading.
type Handle struct {
	tree *Tree
	loc  *Location
	held *realfs.Desc // nil while it has a name
}

// NewHandle returns one of what lies at a location.
func (t *Tree) NewHandle(s *Location) Handle { return Handle{tree: t, loc: s} }

// Use finds the file for as long as do needs it.
func (h *Handle) Use(flags int, do func(*realfs.Desc) error) error {
	if h.held != nil {
		return h.useHeld(flags, do)
	}
	cache := &h.tree.descs
	if done, err := cache.Use(h, flags, do); done {
		return err
	}
	if flags&unix.O_PATH != 0 {
		return h.tree.Use(h.loc, flags, do) // a process that only looks may look at thousands
	}
	return h.tree.Use(h.loc, unix.O_PATH, func(at *realfs.Desc) error {
		d, err := at.OpenFor(flags)
		if err != nil {
			return err
		}
		cache.Put(h, d)
		if done, err := cache.Use(h, flags, do); done {
			return err
		}
		return at.UseReopened(flags, do) // the cache has evicted it already
	})
}

func (h *Handle) useHeld(flags int, do func(*realfs.Desc) error) error {
	if h.held.Serves(flags) {
		return do(h.held)
	}
	return h.held.UseReopened(flags, do)
}

// OpenLinkedLocked opens what is to get one more name, by the descriptor that it goes on
// by or, if there is none, by a name that it has. The caller has the tree's lock, too.
func (h *Handle) OpenLinkedLocked() (*realfs.Desc, error) {
	if h.held != nil {
		return h.held.Dup()
	}
	return h.tree.OpenLocked(h.loc, unix.O_PATH)
}

// IsOrphan reports whether the file has a link in the moving directory, which is not
// shown.
func (h *Handle) IsOrphan() bool { return h.tree.IsOrphan(h.loc) }

// Put has the cache keep a descriptor of the file, which it takes over.
func (h *Handle) Put(d *realfs.Desc) { h.tree.descs.Put(h, d) }

// Drop closes the cached descriptor.
func (h *Handle) Drop() { h.tree.descs.Drop(h) }

// HoldLocked has the file go on by a descriptor, which it takes over and which is not
// scarce.
func (h *Handle) HoldLocked(d *realfs.Desc) {
	_, _ = h.tree.descs.Use(h, unix.O_RDWR, func(at *realfs.Desc) (err error) {
		h.held, err = at.Dup()
		return err
	})
	h.Drop()
	if h.held == nil {
		h.held, _ = d.OpenFully()
	}
	if h.held == nil {
		h.held = d // at least its attributes
		return
	}
	d.Close()
	h.held = h.held.Lower() // the number of d, which was found not to be scarce
}

// KeepLocked has the file go on by a descriptor of its own, which it takes over.
func (h *Handle) KeepLocked(d *realfs.Desc) { h.held = d }

// ReleaseLocked closes the descriptor that the file goes on by.
func (h *Handle) ReleaseLocked() {
	h.held.Close()
	h.held = nil
}

// CloseLocked closes every descriptor.
func (h *Handle) CloseLocked() {
	h.ReleaseLocked()
	h.Drop()
}
