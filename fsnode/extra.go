package fsnode

import "sync/atomic"

// fileExtra is what few files have: one that was never anything but an entity, and
// that nobody made shorter, has none of it. A mount has as many files as the world
// has entities.
type fileExtra struct {
	loc   location         // guarded by fsys.tree; means nothing while it is an entity
	direct bool         // it is opened directly (see direct)
	created   atomic.Int64 // when, since the mount in nanoseconds; 0: nothing in it may be lost any more
	shrunk shrinking

	alias uint64 // the number that it goes by, 0: that which the kernel knows; guarded by fsys.table
}

// none is what a file has that has none of it. Nobody changes it.
var noExtra fileExtra

// lazyExtra is a file's, made when something in it is to be changed.
type lazyExtra struct{ p atomic.Pointer[fileExtra] }

// look returns it for being looked at only.
func (s *lazyExtra) look() *fileExtra {
	if p := s.p.Load(); p != nil {
		return p
	}
	return &noExtra
}

// get returns it for being changed.
func (s *lazyExtra) get() *fileExtra {
	if p := s.p.Load(); p != nil {
		return p
	}
	s.p.CompareAndSwap(nil, new(fileExtra))
	return s.p.Load()
}
