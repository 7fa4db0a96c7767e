package fsnode

import (
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
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
