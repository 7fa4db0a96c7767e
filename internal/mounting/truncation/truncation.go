// Package truncation has a read that finds less than there was wait, where the file was
// made shorter just now.
//
// The kernel goes on with the size that a file had until the program that makes it
// shorter has seen our answer. A read that is answered before that, with fewer
// bytes than that size, is filled up with zeros: its reader would get a file of
// zeros, as long as the one before, that no program wrote. So an answer that is
// short waits until that program had time to go on.
package truncation

import (
	"sync/atomic"
	"time"
)

// Last is when a file was made shorter last. The zero Last is of one that never was.
type Last struct {
	at atomic.Pointer[time.Time] // nil: never, or that is over
}

// seen is how long a program may take until it has seen our answer. It is woken
// by it, so only others that are ready to run are before it.
const seen = 4 * time.Millisecond

// Begin notes that a request may make the file shorter, when it begins and, by the
// function that it returns, when it ends.
func (l *Last) Begin() (end func()) {
	note := func() {
		now := time.Now()
		l.at.Store(&now)
	}
	note()
	return note
}

// Over notes that a program writes: the one that made the file empty has gone on.
func (l *Last) Over() {
	if l.at.Load() != nil {
		l.at.Store(nil)
	}
}

// Wait waits if the file was made shorter just now, and reports whether it did.
func (l *Last) Wait() bool {
	at := l.at.Load()
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
