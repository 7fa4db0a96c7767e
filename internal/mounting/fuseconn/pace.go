package fuseconn

import (
	"sync/atomic"
	"time"
)

// pace says whether the next request is so near that it is not worth sleeping
// until it comes. To poll without sleeping keeps a processor busy, so that is
// done only for some multiples of what waking up takes, only where the last
// request came that soon, and not where other threads have something to do.
//
// All its times are since some moment of its own.
type pace struct {
	soon   bool         // the leader's: the last request came soon
	behind atomic.Int32 // requests that are answered by goroutines that do not lead

	// The leader's: which thread asked last, and when it was another one that did.
	thread uint32
	turned time.Duration
}

const (
	// spinTime is how long the leader polls after an answer before it sleeps.
	spinTime = 100 * time.Microsecond
	// preemptTime is how long one look takes at most if no other thread wants the
	// processor. Where one does, it is to have it.
	preemptTime = 20 * time.Microsecond
	// crowdTime is how long several threads are taken to ask at once when it was
	// another's turn.
	crowdTime = 10 * time.Millisecond
)

// leftBehind notes that a request is answered while another goroutine leads,
// caughtUp that it was.
func (p *pace) leftBehind() { p.behind.Add(1) }
func (p *pace) caughtUp()   { p.behind.Add(-1) }

// asked notes which thread asks. It returns whether another one lately did: what
// that one asks next should not wait for the disk.
func (p *pace) asked(thread uint32, now time.Duration) (crowd bool) {
	if thread != p.thread {
		p.thread, p.turned = thread, now
	}
	return now-p.turned < crowdTime
}

// look is the leader's search for one request.
type look struct {
	p           *pace
	began, last time.Duration
}

func (p *pace) begin(now time.Duration) look { return look{p: p, began: now, last: now} }

// again reports whether to look again at once.
func (l *look) again(now time.Duration) bool {
	preempted := now-l.last > preemptTime
	l.last = now
	return l.p.soon && !preempted && l.p.behind.Load() == 0 && now-l.began < spinTime
}

// found notes that there is a request.
func (l *look) found(now time.Duration) { l.p.soon = now-l.began < spinTime }
