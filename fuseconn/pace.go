package fuseconn

import (
	"sync/atomic"
	"time"
)

// pace says whether the next request is so near that it is not worth sleeping
// until it comes. Who looks on without sleeping keeps a processor busy, so that is
// done only for some multiples of what waking up takes, and only where the last
// request came that soon.
//
// All its times are since some moment of its own.
type pace struct {
	soon     bool         // the leader's: the last request came soon
	behind   atomic.Int32 // requests that those answer who do not lead
	answered atomic.Int64 // when the last of those was answered, in nanoseconds
}

const (
	// spinTime is how long nobody sleeps after an answer.
	spinTime = 100 * time.Microsecond
	// behindTime is how long nobody sleeps while others answer: a disk's commit.
	behindTime = 400 * time.Microsecond
	// preemptTime is how long one look takes at most if no other thread wants the
	// processor. Where one does, it is to have it.
	preemptTime = 20 * time.Microsecond
)

// leftBehind notes that a request is answered while somebody else leads,
// caughtUp that it was.
func (p *pace) leftBehind() { p.behind.Add(1) }

func (p *pace) caughtUp(now time.Duration) {
	p.answered.Store(int64(now))
	p.behind.Add(-1)
}

// look is the leader's search for one request.
type look struct {
	p           *pace
	began, last time.Duration
}

func (p *pace) begin(now time.Duration) look { return look{p: p, began: now, last: now} }

// quiet returns for how long nothing was answered.
func (l *look) quiet(now time.Duration) time.Duration {
	return now - max(l.began, time.Duration(l.p.answered.Load()))
}

// again tells whether to look again at once.
func (l *look) again(now time.Duration) bool {
	preempted := now-l.last > preemptTime
	l.last = now
	switch {
	case !l.p.soon || preempted:
		return false
	case l.p.behind.Load() > 0:
		return now-l.began < behindTime
	}
	return l.quiet(now) < spinTime
}

// found notes that there is a request.
func (l *look) found(now time.Duration) {
	l.p.soon = l.p.behind.Load() > 0 || l.quiet(now) < spinTime
}
