package writers

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/cache"
)

const (
	// quiet is for how long version control must have changed no entity's file for its
	// checkout to count as done, though it runs on: it may wait for its user.
	quiet = 250 * time.Millisecond
	// maxAwait bounds how long a listing is held up however busy version control is.
	maxAwait = 5 * time.Minute
	// poll is how often it is looked at whether it is still at work.
	poll = 10 * time.Millisecond
)

// ErrInterrupted is returned by AwaitCheckout when its caller gave up.
var ErrInterrupted = errors.New("interrupted while version control is at work")

// checkout is the run of version control that last changed entities' files.
type checkout struct {
	session uint64
	at      time.Time // its last change
	merges  bool      // what was edited comes last, after world.toml: hg
}

// noteCheckout notes that a run of version control changes entities' files.
func (c *Cache) noteCheckout(w *cache.Writer, now time.Time) {
	program, _, _ := strings.Cut(w.Program, " ")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkout = checkout{w.Session, now, program == "hg"}
}

// AwaitCheckout returns once no version control is on its way through entities' files: a
// checkout removes files before it writes them anew, those of a whole world where it
// crosses a change of shard, and what is seen meanwhile is no world that was ever made.
// Threads of that run itself, and of what it has started, such as hooks, do not wait, nor
// do those of this process and of what it has started. It returns ErrInterrupted when done
// is closed.
func (c *Cache) AwaitCheckout(thread uint32, done <-chan struct{}) error {
	end := time.After(maxAwait)
	for last := uint64(0); ; {
		session, _ := c.atWork()
		if session == 0 || session != last && c.descends(thread, idOf(session), uint32(os.Getpid())) {
			return nil
		}
		last = session
		select {
		case <-done:
			return ErrInterrupted
		case <-end:
			return nil
		case <-time.After(poll):
		}
	}
}

// AwaitMerges returns once no run of hg is on its way through entities' files, or done is
// closed. hg merges the files that were edited when it has written all others, world.toml too:
// it removes them from where they were before.
func (c *Cache) AwaitMerges(done <-chan struct{}) {
	for end := time.After(maxAwait); ; {
		if session, merges := c.atWork(); session == 0 || !merges {
			return
		}
		select {
		case <-done:
			return
		case <-end:
			return
		case <-time.After(poll):
		}
	}
}

// atWork returns the run of version control that is at work on entities' files, 0 if none, and
// whether it merges last.
func (c *Cache) atWork() (session uint64, merges bool) {
	c.mu.Lock()
	last := c.checkout
	c.mu.Unlock()
	if last.session == 0 {
		return 0, false
	}
	if !c.proc.runs(last.session) {
		c.forgetCheckout(last.session)
		return 0, false
	}
	if c.now().Sub(last.at) >= quiet && !c.world.AwaitsNames() {
		return 0, false
	}
	return last.session, last.merges
}

// forgetCheckout notes that a run has ended, so that nothing is asked about it any more.
func (c *Cache) forgetCheckout(session uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checkout.session == session {
		c.checkout = checkout{}
	}
}

// descends reports whether a thread is of one of some processes, or of one that these have
// started, themselves or through others.
func (c *Cache) descends(thread uint32, of ...uint32) bool {
	p, err := c.proc.process(thread)
	const most = 64 // generations
	for range most {
		if err != nil {
			return false
		}
		if slices.Contains(of, p.id) {
			return true
		}
		p, err = c.proc.process(p.parent)
	}
	return false
}
