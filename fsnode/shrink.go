package fsnode

import (
	"sync/atomic"
	"time"
)

// shrinking knows when a file was made shorter last.
//
// The kernel goes on with the size that a file had until the program that makes it
// shorter has seen our answer. A read that is answered before that, with fewer
// bytes than that size, is filled up with zeros: its reader would get a file of
// zeros, as long as the one before, that no program wrote. So an answer that is
// short waits until that program had time to go on.
type shrinking struct {
	at atomic.Pointer[time.Time] // nil: never, or that is over
}

// seen is how long a program may take until it has seen our answer. It is woken
// by it, so only others that are ready to run are before it.
const seen = 4 * time.Millisecond

// begin notes that a request may make the file shorter, when it begins and, by the
// function that it returns, when it ends.
func (s *shrinking) begin() (end func()) {
	note := func() {
		now := time.Now()
		s.at.Store(&now)
	}
	note()
	return note
}

// over notes that a program writes: the one that made the file empty has gone on.
func (s *shrinking) over() {
	if s.at.Load() != nil {
		s.at.Store(nil)
	}
}

// wait waits if the file was made shorter just now, and reports whether it did.
func (s *shrinking) wait() bool {
	at := s.at.Load()
	if at == nil {
		return false
	}
	left := seen - time.Since(*at)
	if left <= 0 {
		return false
	}
	time.Sleep(left)
	return true
}
