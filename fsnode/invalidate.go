package fsnode

import (
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
)

var _ cache.Invalidator = (*notices)(nil)

// notices tells the kernel of changes that did not come through the mount: the
// kernel remembers names, attributes, contents and listings until it is told.
// A notice waits while the kernel has the directory locked for a request, so
// they are sent by a goroutine of their own, which holds no lock meanwhile, and
// never by a request's handler.
//
// An answer that was made up before a change may reach the kernel after the
// notice of it. For attributes of inodes that it knows, the kernel numbers its
// questions and drops such an answer. For names it locks the directory while it
// asks, and a notice that a name changed waits for that lock: so every batch
// begins with one, of a name that never is (see barrier).
type notices struct {
	fsys *fsys
	done chan struct{} // closed when the goroutine has ended

	mu        sync.Mutex
	more      *sync.Cond
	queue     []notice        // guarded by mu
	added     uint64          // how many were ever added; guarded by mu
	sent      uint64          // how many of them are sent; guarded by mu
	unsettled map[uint64]bool // by the kernel's number; guarded by mu
	ended     bool            // guarded by mu
}

type notice struct {
	id   entity.ID
	what change
}

type change uint8

const (
	changed change = iota
	created
	removed
)

func newNotices(f *fsys) *notices {
	n := &notices{fsys: f, done: make(chan struct{}), unsettled: make(map[uint64]bool)}
	n.more = sync.NewCond(&n.mu)
	go n.run()
	return n
}

// Changed implements cache.Invalidator.
func (n *notices) Changed(id entity.ID) { n.add(notice{id, changed}) }

// Created implements cache.Invalidator.
func (n *notices) Created(id entity.ID) { n.add(notice{id, created}) }

// Removed implements cache.Invalidator.
func (n *notices) Removed(id entity.ID) { n.add(notice{id, removed}) }

func (n *notices) add(x notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue = append(n.queue, x)
	n.added++
	n.more.Broadcast()
}

// wait returns when all is sent that was added before.
func (n *notices) wait() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for until := n.added; n.sent < until && !n.ended; {
		n.more.Wait()
	}
}

// close ends the goroutine once the kernel is gone, when no notice waits.
func (n *notices) close() {
	n.mu.Lock()
	n.ended = true
	n.more.Broadcast()
	n.mu.Unlock()
	<-n.done
}

func (n *notices) run() {
	defer close(n.done)
	for {
		batch := n.next()
		if batch == nil {
			return
		}
		n.send(batch)
		n.mu.Lock()
		n.sent += uint64(len(batch))
		n.more.Broadcast()
		n.mu.Unlock()
	}
}

// next returns what is to be told, nil when nothing more will be.
func (n *notices) next() []notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.queue) == 0 && !n.ended {
		n.more.Wait()
	}
	if n.ended {
		return nil
	}
	batch := n.queue
	n.queue = nil
	return batch
}

func (n *notices) send(batch []notice) {
	n.barrier()
	names := false
	for _, x := range batch {
		switch x.what {
		case changed:
			n.content(x.id)
		case created:
			n.entry(layout.FileName(x.id))
			names = true
		case removed:
			n.gone(x.id)
			names = true
		}
	}
	if names {
		// Naming a new entry leaves a cached listing and the times stale.
		n.check(n.fsys.home.NotifyContent(0, 0))
	}
}

// barrier returns when the kernel has taken in every answer about names that
// was made up before.
func (n *notices) barrier() { n.entry(movingName) }

func (n *notices) content(id entity.ID) {
	if file, err := n.fsys.liveEntity(id); err == nil {
		n.check(file.NotifyContent(0, 0))
	}
}

func (n *notices) entry(name string) { n.check(n.fsys.home.NotifyEntry(name)) }

// gone tells of an entity's file that was removed. Who watches the directory
// sees it go, unless there is another file of that name already.
func (n *notices) gone(id entity.ID) {
	name := layout.FileName(id)
	child := n.fsys.home.GetChild(name)
	if _, err := n.fsys.world.Lookup(id); err != nil && child != nil {
		n.check(n.fsys.home.NotifyDelete(name, child))
		n.check(child.NotifyContent(attributes, 0)) // it may be open
	}
	n.entry(name)
}

// attributes as an offset says that only they have changed.
const attributes = -1

// settleTime is how long a directory that changed goes on before the kernel is
// told to ask for its attributes again.
const settleTime = 100 * time.Millisecond

// settle sees to it that a directory in which a request changed a name has the
// right times in the kernel in the end. The kernel asks for them after each
// such request, but an answer to a question of before, by another process, may
// come after it.
func (n *notices) settle(dir uint64, server *fuse.Server) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended || n.unsettled[dir] {
		return
	}
	n.unsettled[dir] = true
	time.AfterFunc(settleTime, func() {
		n.mu.Lock()
		delete(n.unsettled, dir)
		ended := n.ended
		n.mu.Unlock()
		if !ended {
			n.check(syscall.Errno(server.InodeNotify(dir, attributes, 0)))
		}
	})
}

// check logs what went wrong. That the kernel does not know what it is told of
// is as good.
func (n *notices) check(errno syscall.Errno) {
	switch errno {
	case 0, syscall.ENOENT, syscall.ENOTDIR, syscall.ENODEV, syscall.EBADF:
	default:
		n.fsys.log.Warn("the kernel did not take a notice of a change", "err", errno)
	}
}
