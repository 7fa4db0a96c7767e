package fsnode

import (
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/mounting/replay"
	"github.com/worldfs/worldfs/internal/support/backlog"
	"github.com/worldfs/worldfs/internal/support/lockorder"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
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
	fsys  *fsys
	queue *backlog.Queue[replay.Notice]

	mu         lockorder.Mutex
	refreshing map[uint64]bool // by the kernel's number; guarded by mu
}

func newNotices(f *fsys) *notices {
	n := &notices{fsys: f, refreshing: make(map[uint64]bool)}
	n.mu.Init(&classNotices)
	n.queue = backlog.New(&classQueue, n.notify)
	return n
}

// Changed implements cache.Invalidator.
func (n *notices) Changed(id entity.ID) { n.add(replay.Notice{ID: id, What: replay.Changed}) }

// Created implements cache.Invalidator.
func (n *notices) Created(id entity.ID) {
	n.add(replay.Notice{ID: id, What: replay.Created})
	_ = n.fsys.name(id, true, 0, nil) // it has none
}

// Removed implements cache.Invalidator.
func (n *notices) Removed(id entity.ID) {
	n.add(replay.Notice{ID: id, What: replay.Removed})
	_ = n.fsys.name(id, false, 0, nil) // it has none
}

func (n *notices) add(x replay.Notice) { n.queue.Add(x) }

// wait returns when all is sent that was added before.
func (n *notices) wait() { n.queue.Wait() }

// close is called once the kernel is gone, when no notice waits.
func (n *notices) close() { n.queue.Close() }

// notify says what changed: the kernel first, then programs that watch.
func (n *notices) notify(batch []replay.Notice) {
	n.send(batch)
	n.fsys.replayer.Replay(batch)
}

func (n *notices) send(batch []replay.Notice) {
	dirs := make(map[*Dir]bool) // to whether names came or went
	for _, x := range batch {
		if x.What == replay.Created {
			n.shard(x.ID, dirs)
		}
		if dir := n.fsys.dirOf(x.ID); dir != nil && !dirs[dir] {
			dirs[dir] = x.What != replay.Changed
		}
	}
	for dir := range dirs {
		n.barrier(dir)
	}
	for _, x := range batch {
		dir := n.fsys.dirOf(x.ID)
		switch {
		case x.What == replay.Changed:
			n.content(x.ID)
		case dir == nil: // the kernel knows no name in it
		case x.What == replay.Created:
			n.entry(dir, layout.FileName(x.ID))
		default:
			n.gone(dir, x.ID)
		}
	}
	for dir, names := range dirs {
		if names {
			// Naming a new entry leaves a cached listing and the times stale.
			n.check(dir.NotifyContent(0, 0))
		}
	}
}

// shard tells of the shard that an entity has brought along, if it has.
func (n *notices) shard(id entity.ID, dirs map[*Dir]bool) {
	l := n.fsys.world.Layout()
	if !l.Sharded() || n.fsys.dirOf(id) != nil {
		return
	}
	name := l.ShardName(l.Shard(id))
	if err := n.fsys.ensureShard(name); err != nil {
		n.fsys.log.Warn("a shard cannot be made", "shard", name, "error", err)
	}
	if !dirs[n.fsys.home] {
		n.barrier(n.fsys.home)
		dirs[n.fsys.home] = true
	}
	n.entry(n.fsys.home, name)
	n.fsys.replayer.Overflow(replay.TopDir)
}

// barrier returns when the kernel has taken in every answer about names in a
// directory that was made up before.
func (n *notices) barrier(dir *Dir) { n.entry(dir, realfs.MovingName) }

// content tells of an entity's bytes and attributes.
func (n *notices) content(id entity.ID) {
	file, err := n.fsys.liveEntity(id)
	if err != nil {
		return
	}
	if file.marks.clear(markAttrInFlight) {
		n.await(file, id)
	}
	n.fsys.barrier.Invalidate(func() { n.check(file.NotifyContent(0, 0)) })
}

// await returns when the kernel has taken in what a SETATTR of a file was answered
// before: it holds the file's lock until then, and a notice that the file of a name
// was deleted waits for that. The notice says so of another file, so none is. The
// kernel forgets the name by it; where it has forgotten it already it does not wait,
// so it is told once more a moment later.
func (n *notices) await(file *File, id entity.ID) {
	if dir := n.fsys.dirOf(id); dir != nil {
		n.check(dir.NotifyDelete(layout.FileName(id), dir.EmbeddedInode()))
	}
	time.AfterFunc(refreshDelay, func() { n.check(file.NotifyContent(attributes, 0)) })
}

func (n *notices) entry(dir *Dir, name string) { n.check(dir.NotifyEntry(name)) }

// forgetName has the kernel forget what it knows of an entity's name.
func (n *notices) forgetName(id entity.ID, name string) {
	if dir := n.fsys.dirOf(id); dir != nil {
		n.entry(dir, name)
	}
}

// gone tells of an entity's file that was removed, unless there is another file of
// that name already.
func (n *notices) gone(dir *Dir, id entity.ID) {
	name := layout.FileName(id)
	child := dir.GetChild(name)
	if _, err := n.fsys.world.Lookup(id); err != nil && child != nil {
		n.check(dir.NotifyDelete(name, child))
		n.check(child.NotifyContent(attributes, 0)) // it may be open
	}
	n.entry(dir, name)
}

// attributes as an offset says that only they have changed.
const attributes = -1

// refreshDelay is how long a directory that changed goes on before the kernel is
// told to ask for its attributes again.
const refreshDelay = 100 * time.Millisecond

// refreshLater sees to it that a directory in which a request changed a name has the
// right times in the kernel in the end. The kernel asks for them after each
// such request, but an answer to a question of before, by another process, may
// come after it.
func (n *notices) refreshLater(dir uint64, server *fuse.Server) {
	if n.queue.Closed() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refreshing[dir] {
		return
	}
	n.refreshing[dir] = true
	time.AfterFunc(refreshDelay, func() {
		n.mu.Lock()
		delete(n.refreshing, dir)
		n.mu.Unlock()
		if !n.queue.Closed() {
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
		n.fsys.log.Warn("the kernel did not take a notice of a change", "error", errno)
	}
}

// forgetNames has the kernel ask anew for every entity's name.
func (n *notices) forgetNames() {
	n.entry(n.fsys.home, realfs.MovingName)
	n.check(n.fsys.home.NotifyContent(0, 0))
	for after, ids := entity.ID(0), n.fsys.world.IDs(0, batch); len(ids) > 0; ids = n.fsys.world.IDs(after, batch) {
		for _, id := range ids {
			n.add(replay.Notice{ID: id, What: replay.Created, Moved: true})
		}
		after = ids[len(ids)-1]
	}
}

// forgetFiles has the kernel forget the names of all files below a directory. Those
// of directories stay: a process that stands in one would lose its way.
func (n *notices) forgetFiles(dir *Dir) {
	for name, child := range dir.Children() {
		if below, ok := child.Operations().(*Dir); ok {
			n.forgetFiles(below)
			continue
		}
		n.entry(dir, name)
	}
}

// forgetListings has the kernel forget what directories hold, and their times.
func (n *notices) forgetListings(dir *Dir) {
	n.check(dir.NotifyContent(0, 0))
	for _, child := range dir.Children() {
		if below, ok := child.Operations().(*Dir); ok {
			n.forgetListings(below)
		}
	}
}
