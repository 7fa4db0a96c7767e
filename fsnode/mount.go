package fsnode

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/fuseconn"
	"github.com/worldfs/worldfs/internal/mounting/misplaced"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/mounting/prefetch"
	"github.com/worldfs/worldfs/internal/mounting/seal"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Options say where and how to mount.
type Options struct {
	Dir        string       // the mountpoint, a directory
	Cover      *Cover       // in the cover shape; nil: Dir is the entities directory
	Scratch    string       // the directory for everything that is no entity
	AllowOther bool         // other users may use the mount, as far as permissions go
	Log        *slog.Logger // nil: nothing is logged
	Debug      bool         // log every request

	// NoKernelCache has the kernel ask again for what it was told a second ago,
	// and for contents whenever a file is opened.
	NoKernelCache bool
	// HaltPolling keeps the idle processors of the whole machine from halting while
	// requests come fast, where it is virtual and this process may say so.
	HaltPolling bool
	// AnswerOpen has OPEN answered, for files that need it.
	AnswerOpen bool
	// Warm makes files known to the kernel before programs ask; nil: they are not.
	// Mount takes it over.
	Warm *prefetch.Prefetch
	// Replayer is a command that calls ReadAhead with its standard input and output.
	// With it programs that watch files (inotify) hear of what did not come through
	// the mount.
	Replayer []string
	// Named is called when an entity's name came or went, by a thread or, for 0, this process; it may be nil.
	Named func(id entity.ID, there bool, thread uint32)
}

// Mounted is a world that is mounted.
type Mounted struct {
	dir     string
	conn    *connection
	fsys    *fsys
	seal    *seal.Seal
	closing lockorder.Mutex // held while the descriptors are closed, and while one is replaced
	done    chan struct{}   // closed when nothing is served any more
}

// entitiesDir returns the entities directory in the mount.
func (o Options) entitiesDir() string {
	if o.Cover == nil {
		return o.Dir
	}
	return filepath.Join(o.Dir, o.Cover.World, o.Cover.Entities)
}

// mountOptions is what the kernel is told of the mount as a whole.
func (o Options) mountOptions() fuse.MountOptions {
	c := o.caching()
	m := fuse.MountOptions{
		Debug: o.Debug,
		// A caller that only wants names does not wait for attributes, and one that
		// writes does not wait for a GETXATTR of the file's capabilities before each write.
		ExtraCapabilities:        fuse.CAP_READDIRPLUS_AUTO | fuse.CAP_HANDLE_KILLPRIV_V2,
		ExplicitDataCacheControl: c.explicit,
		EnableSymlinkCaching:     c.explicit,
		// What is read comes from memory: trying to splice it first costs three system
		// calls a read.
		DisableSplice: true,
		MaxWrite:      maxContents,
	}
	m.Logger = slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn)
	return m
}

// Mount shows world at o.Dir, with the mode and owner that the directory has. It
// is ready when Mount returns.
func Mount(world *cache.World, o Options) (*Mounted, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m, err := mount(world, o)
	if err != nil {
		o.Warm.Close()
	}
	return m, err
}

func mount(world *cache.World, o Options) (*Mounted, error) {
	if _, err := mounts.ClearDead(o.Dir); err != nil {
		return nil, err
	}
	fsys, err := newFsys(world, o)
	if err != nil {
		return nil, err
	}
	rootAttr, err := fsys.rootAttr()
	if err != nil {
		fsys.close()
		return nil, err
	}
	options := o.mountOptions()
	raw := fs.NewNodeFS(fsys.root, nodeOptions(options, rootAttr))
	if err := fsys.pin(); err != nil {
		fsys.close()
		return nil, err
	}
	if fsys.policy.caching.explicit {
		fsys.prefetch = o.Warm
		fsys.barrier = o.Warm.Begin(fsys, world, o.entitiesDir(), o.Log)
	} else {
		o.Warm.Close()
	}
	stage := &replayFilter{RawFileSystem: newRawFS(raw, fsys), fsys: fsys, answers: fsys.replayer.Answers}
	closing := seal.New()
	guard := func(next fuseconn.Handler) fuseconn.Handler { return closing.Guard(stage.answers.Guard(next)) }
	conn, err := connect(stage, guard, o, options)
	if err != nil {
		fsys.close()
		return nil, fmt.Errorf("mount %s: %w", o.Dir, err)
	}
	fsys.conn = conn
	m := &Mounted{dir: o.Dir, conn: conn, fsys: fsys, seal: closing, done: make(chan struct{})}
	m.closing.Init(&classClosing)
	fsys.barrier.OnWait(conn.requests.HandOn)
	go m.serve()
	if err := refusePolls(o.Dir); err != nil {
		return nil, errors.Join(fmt.Errorf("mount %s: %w", o.Dir, err), m.Unmount())
	}
	conn.requests.ResetCounts() // those were not a program's
	world.Watch(fsys.notices)
	fsys.prefetch.Mounted()
	return m, nil
}

func (m *Mounted) serve() {
	if err := m.conn.serve(); err != nil {
		m.fsys.log.Error("the connection to the kernel has failed", "mount", m.dir, "error", err)
	}
	m.closing.Lock()
	defer m.closing.Unlock()
	m.fsys.close()
	close(m.done)
}

// Wait returns when the mount is gone, however it was unmounted.
func (m *Mounted) Wait() { <-m.done }

// WaitNotified returns when the kernel has been told of every change to the world that
// was made before. No request waits for it, and the caller holds no lock
// that a request may wait for.
func (m *Mounted) WaitNotified() { m.fsys.notices.wait() }

// Warmed returns how many files were made known to the kernel before programs asked, and
// whether that is over.
func (m *Mounted) Warmed() (files int, done bool) {
	return m.fsys.prefetch.Progress()
}

// Opened returns a channel that is closed when no caller waits for the mount to be
// prefetched any more. It takes a second at most.
func (m *Mounted) Opened() <-chan struct{} { return m.fsys.barrier.Filled() }

// Unmount takes the mount away. It returns an error that is EBUSY while
// something is open in it or stands in it. Where the kernel does not let go of it all
// the same, since another namespace has it, too, the mount is sealed and served on.
func (m *Mounted) Unmount() error {
	m.fsys.prefetch.Close()
	if err := m.unmountIdle(); err != nil {
		return fmt.Errorf("unmount %s: %w", m.dir, err)
	}
	select {
	case <-m.done:
	case <-time.After(letGoTime):
		m.SealAnyway()
		m.fsys.mem.Close()
	}
	return nil
}

// unmountIdle takes the mount away while nothing of ours is open in it.
func (m *Mounted) unmountIdle() (err error) {
	defer m.fsys.replayer.EndAndLock()()
	// What a process just closed may count for a moment longer.
	const tries, pause = 4, 5 * time.Millisecond
	for try := range tries {
		if err = m.unmount(); !errors.Is(err, unix.EBUSY) {
			break
		}
		time.Sleep(pause << try)
	}
	return err
}

// letGoTime is how long the kernel may take to let go of a mount that is taken away.
const letGoTime = 2 * time.Second

// isGone reports whether the kernel has let go of the mount.
func (m *Mounted) isGone() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

func (m *Mounted) unmount() error {
	if m.isGone() {
		return nil
	}
	return mounts.Unmount(m.dir)
}

// Held returns how many files and directories the kernel knows, and how many
// notices wait for being told to it.
func (m *Mounted) Held() (nodes, notices int) {
	nodes = m.fsys.nodes.count()
	return nodes, m.fsys.notices.queue.Len()
}

// Requests returns how often the kernel has asked for what since the mount: "lookup",
// "read" and so on. Kinds that it never asked for are left out.
func (m *Mounted) Requests() map[string]uint64 { return m.conn.requests.Counts() }

// Scratch returns a path to the directory of the files that are no entities',
// which does not lead through the mount. All that there is now is there.
func (m *Mounted) Scratch() (string, error) {
	return m.fsys.scratch.Root.Magic() + "/", m.fsys.mem.FlushAll()
}

// Misplaced returns the files in the mount's entities directory, and in what
// are shards in some layout, that have the name of an entity's but are not in
// its place: by their paths there, with slashes.
func (m *Mounted) Misplaced() (map[string]entity.ID, error) { return misplaced.In(m.fsys.scratch) }
