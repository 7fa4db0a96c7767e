package fsnode

import (
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/errnos"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/prefetch"
	"github.com/worldfs/worldfs/internal/mounting/prepared"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/mounting/replay"
	"github.com/worldfs/worldfs/internal/mounting/writers"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

var _ prefetch.Mount = (*fsys)(nil)

// node is what a name in the mount stands for.
type node interface {
	fs.InodeEmbedder
	// attr fills in the attributes.
	attr(out *fuse.Attr) error
	// location is where the node lies, unless it is an entity.
	location() *place.Location
	// lock keeps what stands behind the node from changing.
	lock()
	unlock()
	// holdDesc lets the node go on by a descriptor, which it takes over, because its
	// name is about to go; releaseDesc closes that, because the name stays after
	// all; closeDescs closes everything, because the kernel does not know the node
	// any more. The caller has locked it.
	holdDescLocked(d *realfs.Desc)
	releaseDescLocked()
	closeDescsLocked()
}

// fsys is one mount's state.
type fsys struct {
	begun    time.Time
	world    *cache.World
	scratch  *realfs.Scratch
	cover    *cover // nil in the entities shape
	log      *slog.Logger
	named    func(id entity.ID, there bool, thread uint32) // see Options
	root     *Dir                                          // the mount's
	home     *Dir                                          // the entities directory
	policy   cachePolicy
	tree     *place.Tree
	nodes    *nodeTable // what the kernel may know
	inos     realfs.Inos
	prepared *prepared.Files
	mem      *memFiles
	handed   realfs.Handed // files that the kernel reads and writes by itself
	notices  *notices
	replayer *replay.Replayer
	prefetch *prefetch.Prefetch // nil: none
	barrier  *prefetch.Barrier
	conn     *connection // nil: it is not mounted yet
	writers  *writers.Cache

	layoutMu      lockorder.RWMutex // read-locked while a request makes something of a name: what a name stands for depends on the layout, which changes with it locked for writing
	layoutChanged bool              // the layout has changed in this mount; guarded by layoutMu

	namesMu lockorder.Mutex // one change of names in scratch, or across the boundary, at a time
}

func newFsys(world *cache.World, o Options) (*fsys, error) {
	scratch, err := realfs.OpenScratch(o.Scratch, o.Log)
	if err != nil {
		return nil, err
	}
	f := &fsys{
		begun: time.Now(), world: world, scratch: scratch, log: o.Log, named: o.Named,
		tree: place.NewTree(scratch), nodes: newNodeTable(), writers: writers.New(world),
	}
	f.layoutMu.Init(&classLayout)
	f.namesMu.Init(&classNames)
	f.handed.Init()
	f.inos.Init(scratch.Root)
	f.prepared = prepared.New(scratch, &f.inos, f.tree)
	f.home = newDir(f, scratch.Dir, false)
	f.root = f.home
	below := o.Dir
	if o.Cover != nil {
		if err := f.openCover(o.Dir, *o.Cover); err != nil {
			scratch.Close()
			return nil, err
		}
		below = f.cover.homePath()
	}
	if err := scratch.Resemble(below); err != nil {
		scratch.Close()
		f.cover.close()
		return nil, err
	}
	if err := f.ensureShards(world.Layout()); err != nil {
		scratch.Close()
		f.cover.close()
		return nil, fmt.Errorf("make shards: %w", err)
	}
	f.nodes.root = f.root
	f.policy = cachePolicy{caching: o.caching(), scratch: scratch, cover: f.cover, tree: f.tree, home: f.home}
	f.tree.Open()
	f.mem = newMemFiles(f)
	f.notices = newNotices(f)
	f.replayer = replay.New(replay.Options{
		World: world, Log: o.Log, Command: o.Replayer, Dir: o.entitiesDir(), Forget: f.notices.forgetName,
	})
	f.barrier = prefetch.NewBarrier()
	return f, nil
}

// close lets go of every descriptor. Nothing is served any more.
func (f *fsys) close() {
	f.world.Watch(nil)
	f.prefetch.Close()
	f.replayer.Close()
	f.notices.close()
	f.mem.Close()
	for _, n := range f.nodes.removeAll() {
		n.lock()
		n.closeDescsLocked()
		n.unlock()
	}
	f.handed.Close()
	f.tree.Close()
	f.scratch.Close()
	f.cover.close()
}

// forget is called when the kernel does not know a node any more.
func (f *fsys) forget(n node) {
	if file, ok := n.(*File); ok {
		file.flushIfNamed()
	}
	f.nodes.remove(n)
	n.lock()
	defer n.unlock()
	n.closeDescsLocked()
}

// reply makes up the answer that tells the kernel of a node.
func (f *fsys) reply(n node, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	t := f.policy.trust(n)
	out.SetEntryTimeout(t.limit(f.policy.caching.entry))
	out.SetAttrTimeout(t.limit(f.policy.caching.attr))
	if n == f.home && f.barrier.Listing() {
		out.SetAttrTimeout(0)
	}
	if err := n.attr(&out.Attr); err != nil {
		return nil, errnos.Of(err)
	}
	return n.EmbeddedInode(), 0
}

// entityNode returns the node of an entity's file.
func (f *fsys) entityNode(id entity.ID) (*File, error) {
	var clash uint64
	const tries = 8 // the file may be renamed away between finding it and looking at its node
	for range tries {
		file, err := f.world.Lookup(id)
		if err != nil {
			return nil, err
		}
		identity := fileIdentity(file.Ino())
		identity.Gen = clash
		n := f.nodes.intern(identity, func() node { return newFile(f, backing.Entity{File: file}) }).(*File)
		if n.serves(file) {
			return n, nil
		}
		if file.ID() == id {
			clash++ // a power cut in a rename may leave a scratch file with the same number
		}
	}
	return nil, unix.ESTALE
}

// liveEntity returns the node of an entity's file when the kernel knows it, as
// it does of whatever it asks to rename. ESTALE makes it look again.
func (f *fsys) liveEntity(id entity.ID) (*File, error) {
	file, err := f.world.Lookup(id)
	if err != nil {
		return nil, err
	}
	for gen := range uint64(2) {
		identity := fileIdentity(file.Ino())
		identity.Gen = gen
		if n, ok := f.nodes.live(identity).(*File); ok && n.serves(file) {
			return n, nil
		}
	}
	return nil, unix.ESTALE
}

// Known implements prefetch.Mount.
func (f *fsys) Known(id entity.ID) (*cache.File, prefetch.Pages) {
	file, err := f.world.Lookup(id)
	if err != nil {
		return nil, nil
	}
	n, err := f.liveEntity(id)
	if err != nil || !n.serves(file) {
		return nil, nil
	}
	return file, n
}

// name calls Options.Named, unless there is an error: nothing has changed.
func (f *fsys) name(id entity.ID, there bool, thread uint32, err error) syscall.Errno {
	if err == nil && id != 0 && f.named != nil {
		f.named(id, there, thread)
	}
	return errnos.Of(err)
}
