package fsnode

import (
	"sync"
	"syscall"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
)

var _ cache.Invalidator = (*notices)(nil)

// notices tells the kernel of changes that did not come through the mount. A
// notice waits while the kernel has the directory locked for a request, so they
// are sent by a goroutine of their own and no caller waits for them.
type notices struct {
	fsys *fsys
	done chan struct{} // closed when the goroutine has ended

	mu    sync.Mutex
	more  *sync.Cond
	queue []notice // guarded by mu
	ended bool     // guarded by mu
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
	n := &notices{fsys: f, done: make(chan struct{})}
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
	n.more.Signal()
}

// close ends the goroutine once the kernel is gone, when no notice waits.
func (n *notices) close() {
	n.mu.Lock()
	n.ended = true
	n.more.Signal()
	n.mu.Unlock()
	<-n.done
}

func (n *notices) run() {
	defer close(n.done)
	for {
		batch := n.wait()
		if batch == nil {
			return
		}
		n.send(batch)
	}
}

// wait returns what is to be told, nil when nothing more will be.
func (n *notices) wait() []notice {
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
	names := false
	for _, x := range batch {
		switch x.what {
		case changed:
			n.content(x.id)
		case created:
			n.entry(layout.FileName(x.id))
			names = true
		case removed:
			n.gone(layout.FileName(x.id))
			names = true
		}
	}
	if names {
		// Naming a new entry leaves a cached listing and the times stale.
		n.check(n.fsys.root.NotifyContent(0, 0))
	}
}

func (n *notices) content(id entity.ID) {
	if file, err := n.fsys.liveEntity(id); err == nil {
		n.check(file.NotifyContent(0, 0))
	}
}

func (n *notices) entry(name string) { n.check(n.fsys.root.NotifyEntry(name)) }

func (n *notices) gone(name string) {
	if child := n.fsys.root.GetChild(name); child != nil {
		n.check(n.fsys.root.NotifyDelete(name, child))
	}
	n.entry(name)
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
