package fsnode

import "sync/atomic"

// seldom is what few files have: one that was never anything but an entity, and
// that nobody made shorter, has none of it. A mount has as many files as the world
// has entities.
type seldom struct {
	spot   spot         // guarded by fsys.tree; means nothing while it is an entity
	direct bool         // it is opened directly (see direct)
	made   atomic.Int64 // when, since the mount in nanoseconds; 0: nothing in it may be lost any more
	shrunk shrinking

	alias uint64 // the number that it goes by, 0: that which the kernel knows; guarded by fsys.table
}

// none is what a file has that has none of it. Nobody changes it.
var none seldom

// seldoms is a file's, made when something in it is to be changed.
type seldoms struct{ p atomic.Pointer[seldom] }

// look returns it for being looked at only.
func (s *seldoms) look() *seldom {
	if p := s.p.Load(); p != nil {
		return p
	}
	return &none
}

// get returns it for being changed.
func (s *seldoms) get() *seldom {
	if p := s.p.Load(); p != nil {
		return p
	}
	s.p.CompareAndSwap(nil, new(seldom))
	return s.p.Load()
}
