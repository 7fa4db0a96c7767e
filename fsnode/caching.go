package fsnode

import (
	"strings"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// caching is what the kernel may remember without asking again, and for how
// long. What changes behind its back is announced (see invalidate.go), so
// remembering is never wrong; it is limited all the same, so that a mistake
// would mend itself within a day.
type caching struct {
	entry, attr time.Duration // names and attributes
	negative    time.Duration // that a name is not there; 0: asked for every time
	pages       uint32        // what OPEN answers
	listings    uint32        // what OPENDIR answers
	opens       bool          // OPEN is answered at all
	explicit    bool          // pages go when we say so, and only then
}

const (
	long  = 24 * time.Hour
	short = time.Second
)

func (o Options) caching() caching {
	if o.NoKernelCache {
		return caching{entry: short, attr: short, opens: true}
	}
	return caching{
		entry: long, attr: long, negative: long,
		pages:    fuse.FOPEN_KEEP_CACHE,
		listings: fuse.FOPEN_CACHE_DIR | fuse.FOPEN_KEEP_CACHE,
		opens:    o.AnswerOpen || o.Cover != nil,
		explicit: true,
	}
}

// nodeOptions is what go-fuse is told. How long names and attributes are good
// for, each answer says itself.
func nodeOptions(m fuse.MountOptions, root *fs.StableAttr) *fs.Options {
	return &fs.Options{
		MountOptions:    m,
		NullPermissions: true,
		RootStableAttr:  root,
	}
}

// cachePolicy says for how long the kernel may go by what it was told.
type cachePolicy struct {
	caching
	scratch *realfs.Scratch
	cover   *cover // nil in the entities shape
	tree    *place.Tree
	home    *Dir
}

// trust is how far the kernel may go by what it was told of a node.
type trust uint8

const (
	fully   trust = iota // until it is told of a change: only the mount changes it
	briefly              // it can also be changed beneath the mount, by a process that was there before it was covered
	never                // the daemon changes it beneath the mount, or the mount has ended
)

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

// trust returns how far the kernel may trust what it is told of a node.
func (p *cachePolicy) trust(n node) trust {
	if p.scratch.IsPlain() {
		return never
	}
	if p.cover == nil {
		return fully
	}
	if isReadOnly(n) {
		return never
	}
	file, isFile := n.(*File)
	if isFile && file.marks.has(markEntity) || n == p.home {
		return fully
	}
	p.tree.RLock()
	defer p.tree.RUnlock()
	names := n.location().Names()
	if len(names) == 0 {
		return briefly
	}
	t := fully
	for _, name := range names {
		t = max(t, p.trustAtLocked(name.Dir, isFile))
	}
	return t
}

// trustAtLocked returns how far the kernel may trust what it is told of what lies in a
// directory. The caller has tree.
func (p *cachePolicy) trustAtLocked(dir *place.Dir, isFile bool) trust {
	switch w := &p.cover.world.place; {
	case dir.InLocked() == p.scratch.Dir:
		return fully
	case isFile && (dir == w || dir.Loc.Is(w, p.cover.Types)):
		return never
	}
	return briefly
}

// changesNames reports whether the daemon changes names in a directory beneath the
// mount.
func (p *cachePolicy) changesNames(d *Dir) bool {
	if p.cover == nil {
		return false
	}
	p.tree.RLock()
	defer p.tree.RUnlock()
	return d.readOnly || d == p.cover.world || d.place.Loc.Is(&p.cover.world.place, p.cover.Types)
}

// limit says for how long the kernel may go by the attributes that it is told.
func (p *cachePolicy) limit(n node, out *fuse.AttrOut) {
	out.SetTimeout(p.trust(n).limit(p.caching.attr))
}

// own reports whether only the mount changes what is in a directory.
func (p *cachePolicy) own(d *Dir) bool {
	if p.scratch.IsPlain() {
		return false
	}
	if p.cover == nil {
		return true
	}
	p.tree.RLock()
	defer p.tree.RUnlock()
	return d.place.InLocked() == p.scratch.Dir
}

// absence returns for how long the kernel may go by it that a name is not in a
// directory.
func (p *cachePolicy) absence(d *Dir) time.Duration {
	if p.scratch.IsPlain() {
		return 0
	}
	if p.cover == nil {
		return p.caching.negative
	}
	p.tree.RLock()
	defer p.tree.RUnlock()
	switch w := p.cover.world; {
	case d.place.InLocked() == p.scratch.Dir:
		return p.caching.negative
	case d.readOnly || d == w || d.place.Loc.Is(&w.place, p.cover.Types):
		return 0
	}
	return briefly.limit(p.caching.negative)
}

// openFlags is what OPEN answers for a file. What can change beneath the mount
// is read anew at each open, the state at each read.
func (p *cachePolicy) openFlags(n *File) uint32 {
	switch {
	case p.trust(n) == fully:
		return p.caching.pages
	case isReadOnly(n):
		return fuse.FOPEN_DIRECT_IO
	}
	return 0
}

// isDatabaseLocked reports whether a name is that of Subversion's database, or of its
// journal. The caller has tree.
func (p *cachePolicy) isDatabaseLocked(dir *Dir, name string) bool {
	return p.cover != nil && p.caching.explicit && !dir.readOnly &&
		dir.place.Loc.Name == ".svn" && strings.HasPrefix(name, "wc.db") && dir.place.InLocked() == p.cover.beneath
}

// isReadOnly reports whether a node cannot be changed.
func isReadOnly(n node) bool {
	switch n := n.(type) {
	case *Dir:
		return n.readOnly
	case *Special:
		return n.readOnly
	case *File:
		n.mu.RLock()
		defer n.mu.RUnlock()
		_, ok := n.back.(backing.ReadOnly)
		return ok
	}
	return false
}
