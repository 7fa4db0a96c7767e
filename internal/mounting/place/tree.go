package place

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Tree leads from nodes to their files: by the names that are known of a node or, once
// those are removed, by a descriptor or by an orphan's link (see orphan.go). Its lock
// guards the location of every node, and that a location leads to its node.
type Tree struct {
	lockorder.RWMutex
	scratch *realfs.Scratch
	descs   realfs.Cache // of the files that were used last
}

// NewTree returns the tree of a mount with a scratch directory.
func NewTree(scratch *realfs.Scratch) *Tree {
	t := &Tree{scratch: scratch}
	t.Init(&classTree)
	return t
}

// Open readies the cache of descriptors.
func (t *Tree) Open() { t.descs.Open() }

// Close is called when nothing is reached any more.
func (t *Tree) Close() { t.descs.Close() }

// EvictAll closes every descriptor that is only cached.
func (t *Tree) EvictAll() { t.descs.EvictAll() }

// OpenLocked opens what lies at a location. The caller has the lock.
func (t *Tree) OpenLocked(s *Location, flags int) (*realfs.Desc, error) {
	if s.desc != nil {
		if flags&unix.O_PATH != 0 {
			return s.desc.Dup()
		}
		return s.desc.Reopen(flags)
	}
	if !s.IsNamed() && s.Orphan != "" {
		return realfs.OpenBeneath(t.scratch.Moving, s.Orphan, flags, false)
	}
	d, err := s.open(flags)
	if len(s.others) == 0 || !errors.Is(err, unix.ENOENT) {
		return d, err
	}
	if other, ok := s.otherThan(s.Dentry); ok {
		return other.open(flags)
	}
	return nil, err
}

// OpenDirLocked opens a directory to do something to a name in it. The caller has
// the lock.
func (t *Tree) OpenDirLocked(d *Dir) (*realfs.Desc, error) {
	if d.Top != nil {
		return d.Top.Root.Dup()
	}
	return t.OpenLocked(&d.Loc, unix.O_PATH|unix.O_DIRECTORY)
}

// Use opens what lies at a location for as long as do needs it.
func (t *Tree) Use(s *Location, flags int, do func(*realfs.Desc) error) error {
	t.RLock()
	d, err := t.OpenLocked(s, flags)
	t.RUnlock()
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d)
}

// UseDir opens a directory for as long as do needs it.
func (t *Tree) UseDir(dir *Dir, do func(*realfs.Desc) error) error {
	if dir.Top != nil {
		return do(dir.Top.Root)
	}
	t.RLock()
	d, err := t.OpenDirLocked(dir)
	t.RUnlock()
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d)
}

// List returns the names in a directory beneath the mount, without "." and "..".
func (t *Tree) List(dir *Dir) (names []realfs.Entry, err error) {
	err = t.UseDir(dir, func(at *realfs.Desc) (err error) {
		names, err = at.List()
		return err
	})
	return names, err
}

// OpenNameLocked opens what a name stands for, to look at it. The caller has the lock.
func (t *Tree) OpenNameLocked(dir *Dir, name string) (*realfs.Desc, error) {
	return Dentry{dir, name}.open(unix.O_PATH)
}

// SetDesc lets a node that is no regular file go on by a descriptor.
func (t *Tree) SetDesc(s *Location, d *realfs.Desc) {
	t.Lock()
	defer t.Unlock()
	s.desc.Close()
	s.desc = d
}

// IsLast reports whether a name is the only one by which a node can be reached.
func (t *Tree) IsLast(s *Location, p Dentry) bool {
	t.RLock()
	defer t.RUnlock()
	if !s.has(p) {
		return false
	}
	_, other := s.otherThan(p)
	return !other
}

// LastName returns the name that was looked up last, without a directory if there is
// none.
func (t *Tree) LastName(s *Location) Dentry {
	t.RLock()
	defer t.RUnlock()
	return s.Dentry
}

// RenameLocked renames in the backing filesystem. The caller has the lock.
func (t *Tree) RenameLocked(from, to Dentry, flags uint) error {
	a, err := t.OpenDirLocked(from.Dir)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := t.OpenDirLocked(to.Dir)
	if err != nil {
		return err
	}
	defer b.Close()
	return unix.Renameat2(a.FD, from.Name, b.FD, to.Name, flags)
}
