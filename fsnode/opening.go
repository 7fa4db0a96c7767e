package fsnode

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/internal/mounts"
)

// How long a mount may keep others waiting while it makes itself known to the
// kernel: for names, and for opening or changing a file. On a slow machine, or
// in a large world, that is not enough for everything; the rest is then read
// ahead beside them.
const (
	namesWait = 500 * time.Millisecond
	filesWait = time.Second
)

// listTime is how long who has waited for names is left a core: to list 10,000
// files takes most of that.
const listTime = 30 * time.Millisecond

// opening is the first moments of a mount that is made warm, in which others
// wait: everybody would otherwise ask, one round trip at a time, for what the
// kernel is just being told in a few.
//
// Until listed is closed nobody but the process that lists gets past the
// entities directory: its attributes are not to be remembered, so the kernel
// asks for them each time that it checks whether somebody may pass.
//
// Until filled is closed no file is opened, created, renamed or truncated, by
// whomever. That is what makes it safe to hand the kernel contents by ourselves:
// nobody can have written to a page, whose bytes are then on their way to us.
type opening struct {
	listed, filled chan struct{}
	list, fill     sync.Once
	wanted         chan struct{} // closed once somebody waits for a file
	want           sync.Once
	awaited        atomic.Bool // somebody has waited for names
	lister         int         // the process's ID
	waits          func()      // called by a request before it waits; set before any comes

	pages sync.RWMutex // read-locked while contents are handed over, which nothing may make old meanwhile
}

// newOpening returns one that is over.
func newOpening() *opening {
	o := beginOpening(0)
	o.end()
	return o
}

// beginOpening returns one for as long as a mount takes that lister lists.
func beginOpening(lister int) *opening {
	return &opening{
		listed: make(chan struct{}), filled: make(chan struct{}), wanted: make(chan struct{}), lister: lister,
	}
}

func (o *opening) endList() { o.list.Do(func() { close(o.listed) }) }
func (o *opening) endFill() { o.fill.Do(func() { close(o.filled) }) }

func (o *opening) end() {
	o.endList()
	o.endFill()
}

// listing tells whether names are still to be waited for.
func (o *opening) listing() bool {
	select {
	case <-o.listed:
		return false
	default:
		return true
	}
}

// passNames returns when whoever asks may know what is in the entities directory.
func (o *opening) passNames(ctx context.Context) {
	if !o.listing() {
		return
	}
	if caller, ok := fuse.FromContext(ctx); ok && o.isLister(caller.Pid) {
		return
	}
	o.awaited.Store(true)
	o.waits()
	<-o.listed
}

// leaveCore leaves a core to who has waited for names, and returns when they need
// none any more: there is nobody, or somebody waits for a file instead, or they had
// time enough, or over is closed.
func (o *opening) leaveCore(ctx context.Context, over <-chan struct{}) {
	if !o.awaited.Load() {
		return
	}
	enough := time.NewTimer(listTime)
	defer enough.Stop()
	select {
	case <-o.wanted:
	case <-enough.C:
	case <-over:
	case <-ctx.Done():
	}
}

// isLister tells whether a thread is one of the process that lists, or one of ours:
// go-fuse opens a file to see whether the mount is there.
func (o *opening) isLister(thread uint32) bool {
	return mounts.HasThread(o.lister, thread) || mounts.HasThread(os.Getpid(), thread)
}

// passFiles returns when files may be opened and changed.
func (o *opening) passFiles() {
	select {
	case <-o.filled:
	default:
		o.want.Do(func() { close(o.wanted) })
		o.waits()
		<-o.filled
	}
}
