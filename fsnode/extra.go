package fsnode

import (
	"sync/atomic"

	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/truncation"
)

// fileExtra is the state that few files have: one that was never anything but an
// entity, and that no process made shorter, has none of it. A mount has as many files as
// the world has entities, so it is allocated when it is first needed.
type fileExtra struct {
	loc     place.Location // guarded by tree; means nothing while it is an entity
	direct  bool           // it is opened directly (see direct)
	created atomic.Int64   // when, since the mount in nanoseconds; 0: nothing in it may be lost any more
	shrunk  truncation.Last

	alias uint64 // the number that it goes by, 0: that which the kernel knows; guarded by nodeTable.mu
}

// noExtra is the state of the others. It is never changed.
var noExtra fileExtra

// lazyExtra is a file's, allocated when something in it is to be changed.
type lazyExtra struct{ p atomic.Pointer[fileExtra] }

// look returns it to be read only.
func (s *lazyExtra) look() *fileExtra {
	if p := s.p.Load(); p != nil {
		return p
	}
	return &noExtra
}

// get returns it to be changed.
func (s *lazyExtra) get() *fileExtra {
	if p := s.p.Load(); p != nil {
		return p
	}
	s.p.CompareAndSwap(nil, new(fileExtra))
	return s.p.Load()
}
