package prefetch

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// How long a mount may keep callers waiting while it is prefetched: for names, and for
// opening or changing a file. On a slow machine, or in a large world, that is not
// enough for everything; the rest is then read beside them.
const (
	maxListTime = 500 * time.Millisecond
	maxFillTime = time.Second
)

// listTime is how long filling leaves one CPU to callers that waited for names: to
// list 10,000 files takes most of that.
const listTime = 30 * time.Millisecond

// Barrier is what the callers of a mount wait for while it is prefetched.
//
// Until all is listed no process but the one that lists gets past the entities
// directory: the timeout of its attributes is zero, so the kernel asks for them each
// time that it checks permissions.
//
// Until all is filled no process opens, creates, renames or truncates a file. That is
// what makes it safe to hand the kernel contents (invariant 1).
type Barrier struct {
	listed, filled chan struct{}
	list, fill     sync.Once
	wanted         chan struct{} // closed once a caller waits for files
	want           sync.Once
	awaited        atomic.Bool // a caller has waited for names
	lister         int         // the process's ID
	onWait         func()      // called by a request before it waits; set before any comes

	pages sync.RWMutex // read-locked while contents are rendered and handed over
}

// NewBarrier returns one that keeps no caller waiting.
func NewBarrier() *Barrier {
	b := closedBarrier(0)
	b.open()
	return b
}

// closedBarrier returns one that keeps all but the process lister waiting.
func closedBarrier(lister int) *Barrier {
	return &Barrier{
		listed: make(chan struct{}), filled: make(chan struct{}), wanted: make(chan struct{}), lister: lister,
	}
}

// OnWait has a function called by each request before it waits. It is set before any
// request comes.
func (b *Barrier) OnWait(do func()) { b.onWait = do }

// Listed returns a channel that is closed when no caller waits for names any more.
func (b *Barrier) Listed() <-chan struct{} { return b.listed }

// Filled returns a channel that is closed when no caller waits for files any more.
func (b *Barrier) Filled() <-chan struct{} { return b.filled }

func (b *Barrier) openList() { b.list.Do(func() { close(b.listed) }) }
func (b *Barrier) openFill() { b.fill.Do(func() { close(b.filled) }) }

func (b *Barrier) open() {
	b.openList()
	b.openFill()
}

// Listing reports whether callers still wait for names.
func (b *Barrier) Listing() bool {
	select {
	case <-b.listed:
		return false
	default:
		return true
	}
}

// WaitListed returns when the thread that asks, 0 if it is not known, may learn the
// names in the entities directory. The process that lists does not wait, nor does this
// one: it opens a file to see whether the mount is there.
func (b *Barrier) WaitListed(thread uint32) {
	if !b.Listing() {
		return
	}
	if thread != 0 && (mounts.HasThread(b.lister, thread) || mounts.HasThread(os.Getpid(), thread)) {
		return
	}
	b.awaited.Store(true)
	b.onWait()
	<-b.listed
}

// WaitFilled returns when files may be opened and changed.
func (b *Barrier) WaitFilled() {
	select {
	case <-b.filled:
	default:
		b.want.Do(func() { close(b.wanted) })
		b.onWait()
		<-b.filled
	}
}

// Invalidate calls do, which has the kernel drop contents, while none are handed over
// (invariant 2).
func (b *Barrier) Invalidate(do func()) {
	b.pages.Lock()
	defer b.pages.Unlock()
	do()
}

// yieldCPU leaves a CPU to callers that waited for names, and returns when they need
// none any more: there are none, or one waits for a file instead, or they had time
// enough, or over is closed.
func (b *Barrier) yieldCPU(ctx context.Context, over <-chan struct{}) {
	if !b.awaited.Load() {
		return
	}
	enough := time.NewTimer(listTime)
	defer enough.Stop()
	select {
	case <-b.wanted:
	case <-enough.C:
	case <-over:
	case <-ctx.Done():
	}
}
