package fsnode

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Cover is where in the covered directory the world is. The mount shows all of
// that directory as it is beneath, but for the entities directory.
type Cover struct {
	World    string // the way from the mountpoint to the world directory, with slashes; "." if that is it
	Entities string // the name of the entities directory in the world directory
	State    string // of the directory there that is shown, but closed to every change
	Removed  bool   // there is no entities directory, unless the world has entities
	Types    string // of the directory there in which the daemon writes, beside the world directory itself
}

// cover is what a mount in the cover shape needs besides.
type cover struct {
	Cover
	beneath *backingDir // the covered directory, opened before it was covered
	world   *Dir        // the world directory
}

// openCover makes ready to cover dir: the directory beneath is opened, and the
// way to the entities directory gets its nodes.
func (f *fsys) openCover(dir string, o Cover) error {
	beneath, err := openBackingDir(dir, true)
	if err != nil {
		return err
	}
	f.root = &Dir{fsys: f, top: beneath}
	f.cover = &cover{Cover: o, beneath: beneath, world: f.root}
	for _, name := range strings.Split(o.World, "/") {
		if name != "." {
			f.cover.world = fix(f.cover.world, name, &Dir{fsys: f})
		}
	}
	fix(f.cover.world, o.Entities, f.home)
	f.home.removed.Store(o.Removed)
	fix(f.cover.world, o.State, &Dir{fsys: f, readOnly: true})
	return nil
}

// fix makes a directory stand in another for as long as the mount does.
func fix(in *Dir, name string, d *Dir) *Dir {
	if in.fixed == nil {
		in.fixed = make(map[string]*Dir)
	}
	in.fixed[name] = d
	d.loc.dir, d.loc.name = in, name
	return d
}

// homePath returns how the directory beneath the entities directory is reached.
func (c *cover) homePath() string { return path.Join(c.beneath.root.magic(), c.World, c.Entities) }

func (c *cover) close() {
	if c != nil {
		c.beneath.root.close()
	}
}

// rootAttr returns the identity of the mount's root.
func (f *fsys) rootAttr() (*fs.StableAttr, error) {
	if f.cover == nil {
		return &fs.StableAttr{Ino: homeIno}, nil
	}
	st, err := f.cover.beneath.root.stat()
	if err != nil {
		return nil, fmt.Errorf("look at the directory beneath the mount: %w", err)
	}
	return &fs.StableAttr{Ino: idOf(st).number(f.inos.dev)}, nil
}

// pin gives the directories that stand for as long as the mount does their
// nodes, once the root has its own.
func (f *fsys) pin() error { return f.pinIn(f.root) }

func (f *fsys) pinIn(dir *Dir) error {
	for name, d := range dir.fixed {
		id := fs.StableAttr{Mode: unix.S_IFDIR, Ino: homeIno}
		if !d.isHome() {
			at, err := f.openName(dir, name)
			if err != nil {
				return fmt.Errorf("look at %s beneath the mount: %w", name, err)
			}
			st, err := at.stat()
			at.close()
			if err != nil {
				return fmt.Errorf("look at %s beneath the mount: %w", name, err)
			}
			if id, err = f.identify(nil, st, d, ""); err != nil {
				return err
			}
		}
		f.root.NewPersistentInode(context.Background(), d, id)
		if err := f.pinIn(d); err != nil {
			return err
		}
	}
	return nil
}

// trust is how far the kernel may go by what it was told of a node.
type trust uint8

const (
	fully   trust = iota // until it is told of a change: only the mount changes it
	briefly              // it can also be changed beneath the mount, by a process that was there before it was covered
	never                // the daemon changes it beneath the mount, or the mount has ended
)

// trust returns how far the kernel may trust what it is told of a node.
func (f *fsys) trust(n node) trust {
	if f.plain.Load() {
		return never
	}
	if f.cover == nil {
		return fully
	}
	if f.isReadOnly(n) {
		return never
	}
	file, isFile := n.(*File)
	if isFile && file.marks.has(markEntity) || n == f.home {
		return fully
	}
	f.tree.RLock()
	defer f.tree.RUnlock()
	names := n.location().names()
	if len(names) == 0 {
		return briefly
	}
	t := fully
	for _, p := range names {
		t = max(t, f.trustAt(p.dir, isFile))
	}
	return t
}

// trustAt returns how far the kernel may trust what it is told of what lies in a
// directory. The caller has tree.
func (f *fsys) trustAt(dir *Dir, isFile bool) trust {
	switch w := f.cover.world; {
	case dir.in() == f.scratch.backingDir:
		return fully
	case isFile && (dir == w || dir.loc.is(w, f.cover.Types)):
		return never
	}
	return briefly
}

// changesNames reports whether the daemon changes names in a directory beneath the
// mount.
func (f *fsys) changesNames(d *Dir) bool {
	if f.cover == nil {
		return false
	}
	f.tree.RLock()
	defer f.tree.RUnlock()
	return d.readOnly || d == f.cover.world || d.loc.is(f.cover.world, f.cover.Types)
}

// limit returns a timeout that is no longer than the trust goes.
func (t trust) limit(most time.Duration) time.Duration {
	switch t {
	case fully:
		return most
	case briefly:
		return min(most, short)
	}
	return 0
}

// own reports whether only the mount changes what is in a directory.
func (f *fsys) own(d *Dir) bool {
	if f.plain.Load() {
		return false
	}
	if f.cover == nil {
		return true
	}
	f.tree.RLock()
	defer f.tree.RUnlock()
	return d.in() == f.scratch.backingDir
}

// absence returns for how long the kernel may go by it that a name is not in a
// directory.
func (f *fsys) absence(d *Dir) time.Duration {
	if f.plain.Load() {
		return 0
	}
	if f.cover == nil {
		return f.caching.negative
	}
	f.tree.RLock()
	defer f.tree.RUnlock()
	switch w := f.cover.world; {
	case d.in() == f.scratch.backingDir:
		return f.caching.negative
	case d.readOnly || d == w || d.loc.is(w, f.cover.Types):
		return 0
	}
	return briefly.limit(f.caching.negative)
}

// limit says for how long the kernel may go by the attributes that it is told.
func (f *fsys) limit(n node, out *fuse.AttrOut) {
	out.SetTimeout(f.trust(n).limit(f.caching.attr))
}

// openFlags is what OPEN answers for a file. What can change beneath the mount
// is read anew by whoever opens it, the state by whoever reads.
func (f *fsys) openFlags(n *File) uint32 {
	switch {
	case f.trust(n) == fully:
		return f.caching.pages
	case f.isReadOnly(n):
		return fuse.FOPEN_DIRECT_IO
	}
	return 0
}

// readOnly reports whether a node cannot be changed.
func (f *fsys) isReadOnly(n node) bool {
	switch n := n.(type) {
	case *Dir:
		return n.readOnly
	case *Special:
		return n.readOnly
	case *File:
		n.mu.RLock()
		defer n.mu.RUnlock()
		_, ok := n.back.(readOnlyBacking)
		return ok
	}
	return false
}
