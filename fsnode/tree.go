package fsnode

import (
	"errors"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// tree leads from nodes to their files: by the names that are known of a node or, once
// those are removed, by a descriptor or by an orphan's link (see orphan.go). Its lock
// guards the location of every node, and that a location leads to its node.
type tree struct {
	lockorder.RWMutex
	scratch *scratchFS
}

func newTree(scratch *scratchFS) *tree {
	t := &tree{scratch: scratch}
	t.Init(&classTree)
	return t
}

// openLocationLocked opens what lies at a location. The caller has the lock.
func (t *tree) openLocationLocked(s *location, flags int) (*desc, error) {
	if s.desc != nil {
		if flags&unix.O_PATH != 0 {
			return dup(s.desc)
		}
		return s.desc.reopen(flags)
	}
	if !s.named() && s.orphan != "" {
		return openBeneath(t.scratch.moving, s.orphan, flags, false)
	}
	d, err := s.open(flags)
	if len(s.others) == 0 || !errors.Is(err, unix.ENOENT) {
		return d, err
	}
	if other, ok := s.otherThan(s.dentry); ok {
		return other.open(flags)
	}
	return nil, err
}

// openDirLocked opens a directory to do something to a name in it. The caller has
// the lock.
func (t *tree) openDirLocked(d *Dir) (*desc, error) {
	if d.top != nil {
		return dup(d.top.root)
	}
	return t.openLocationLocked(&d.loc, unix.O_PATH|unix.O_DIRECTORY)
}

// use opens what lies at a location for as long as do needs it.
func (t *tree) use(s *location, flags int, do func(*desc) error) error {
	t.RLock()
	d, err := t.openLocationLocked(s, flags)
	t.RUnlock()
	if err != nil {
		return err
	}
	defer d.close()
	return do(d)
}

// useDir opens a directory for as long as do needs it.
func (t *tree) useDir(dir *Dir, do func(*desc) error) error {
	if dir.top != nil {
		return do(dir.top.root)
	}
	t.RLock()
	d, err := t.openDirLocked(dir)
	t.RUnlock()
	if err != nil {
		return err
	}
	defer d.close()
	return do(d)
}

// list returns the names in a directory beneath the mount, without "." and "..".
func (t *tree) list(dir *Dir) (names []fuse.DirEntry, err error) {
	err = t.useDir(dir, func(at *desc) (err error) {
		names, err = at.list()
		return err
	})
	return names, err
}

// openNameLocked opens what a name stands for, to look at it. The caller has the lock.
func (t *tree) openNameLocked(dir *Dir, name string) (*desc, error) {
	return dentry{dir, name}.open(unix.O_PATH)
}

// setDesc lets a node that is no regular file go on by a descriptor.
func (t *tree) setDesc(s *location, d *desc) {
	t.Lock()
	defer t.Unlock()
	s.desc.close()
	s.desc = d
}

// isLast reports whether a name is the only one by which a node can be reached.
func (t *tree) isLast(n node, p dentry) bool {
	t.RLock()
	defer t.RUnlock()
	if !n.location().has(p) {
		return false
	}
	_, other := n.location().otherThan(p)
	return !other
}

// openLinkedLocked opens what is to get one more name, by one that it has or, if none is
// known, by the descriptor that it goes on by. The caller has locked the node, and
// has the lock.
func (t *tree) openLinkedLocked(n node) (*desc, error) {
	if file, ok := n.(*File); ok {
		if b, ok := file.back.(*scratchBacking); ok && b.held != nil {
			return dup(b.held)
		}
	}
	return t.openLocationLocked(n.location(), unix.O_PATH)
}

// renameatLocked renames in the backing filesystem. The caller has the lock.
func (t *tree) renameatLocked(from, to end, flags uint) error {
	a, err := t.openDirLocked(from.dir)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := t.openDirLocked(to.dir)
	if err != nil {
		return err
	}
	defer b.close()
	return unix.Renameat2(a.n, from.name, b.n, to.name, flags)
}
