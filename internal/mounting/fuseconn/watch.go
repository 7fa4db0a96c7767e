package fuseconn

import (
	"sync/atomic"
	"time"
)

// watch is a watchdog: it sees to it that a goroutine looks for requests though one
// keeps the leader, whatever it waits for: a lock, a disk, or a call to the kernel that
// returns only when another request has been answered.
type watch struct {
	awake atomic.Bool
	stir  chan struct{} // has room for one
}

const (
	// watchTime is how long an answer may take before another goroutine leads; at
	// most twice that.
	watchTime = time.Millisecond
	// watchRounds is how often nothing is to have happened before the watch sleeps.
	watchRounds = 50
)

// stirred wakes the watch, if it sleeps. The leader calls it when it begins.
func (w *watch) stirred() {
	if !w.awake.Load() && w.awake.CompareAndSwap(false, true) {
		w.stir <- struct{}{}
	}
}

// watchLeader relieves leaders until the mount is gone.
func (s *Server) watchLeader() {
	defer s.halts.end()
	for {
		select {
		case <-s.watch.stir:
			s.watchBusy()
		case <-s.ended:
			return
		}
	}
}

// watchBusy returns when nothing has been asked for a while.
func (s *Server) watchBusy() {
	last := s.turn.Load()
	for idle := 0; idle < watchRounds; {
		time.Sleep(watchTime)
		turn := s.turn.Load()
		s.halts.tick((turn - last) / 2)
		switch {
		case turn != last:
			idle = 0
		case turn%2 == 1:
			s.handOn(turn)
		default:
			idle++
		}
		last = turn
	}
	s.watch.awake.Store(false)
	if s.turn.Load() != last { // a leader that began just before has not stirred
		s.watch.stirred()
	}
}
