package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/connlimit"
	"github.com/worldfs/worldfs/internal/mounting/selection"
	"github.com/worldfs/worldfs/internal/mounting/socket"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Kept is a world that is not mounted, and that this process keeps in step: it has the world
// open for moments, its own and those of the calls that it answers on a control socket. It is
// safe for concurrent use.
type Kept struct {
	dir      *worlddir.Dir // as it was when keeping began: its settings may change
	find     func() (*worlddir.Dir, error)
	log      *slog.Logger
	selected selection.Board
	ended    chan struct{} // closed by Close

	record Record       // zero: there is no socket
	unlock func()       // of a LockKeeper that is this one's; no effect where it is the caller's, or another process's
	server *http.Server // nil: there is no socket

	open sync.Mutex // held while the world is open

	mu      sync.Mutex    // guards what follows
	types   *entity.Types // as the world had them last
	grown   chan struct{} // closed when its history may have grown
	mounted chan struct{} // closed when the world was mounted meanwhile
}

// errMountedNow says that the world's daemon is to be called.
var errMountedNow = errors.New("the world is mounted: its daemon answers calls (.worldfs/daemon.json)")

// NewKept returns a Kept of a world. find returns the world directory as it is now, for a call.
func NewKept(dir *worlddir.Dir, find func() (*worlddir.Dir, error)) *Kept {
	return &Kept{dir: dir, find: find, log: slog.New(slog.DiscardHandler), unlock: func() {}, ended: make(chan struct{}),
		types: &entity.Types{}, grown: make(chan struct{}), mounted: make(chan struct{})}
}

// Listen opens the control socket, and has it answered until Close. The caller has the world's
// LockKeeper.
func (k *Kept) Listen() error {
	l, at, err := listenKept(k.dir.Root)
	if err != nil {
		return err
	}
	return k.serve(l, at)
}

// listenKept opens the socket of a world at root, or where that fails, as where there are no such
// sockets, a port.
func listenKept(root string) (net.Listener, Record, error) {
	path, err := socket.KeptPath(root)
	if err == nil {
		var l net.Listener
		if l, err = socket.Listen(path); err == nil {
			return l, Record{Socket: path}, nil
		}
	}
	l, token, loopbackErr := socket.Loopback()
	if loopbackErr != nil {
		return nil, Record{}, errors.Join(err, loopbackErr)
	}
	return l, Record{Address: l.Addr().String(), Token: token}, nil
}

// serve has calls answered on a listener, and says where that is.
func (k *Kept) serve(l net.Listener, at Record) error {
	at.Pid, at.World, at.ID, at.Started = os.Getpid(), k.dir.Root, uuid.UUID(k.dir.ID).String(), time.Now().UTC()
	if err := writeRecordFile(k.dir.KeeperPath(), at); err != nil {
		return errors.Join(err, l.Close())
	}
	k.record = at
	limited := connlimit.New(l, maxConnections)
	k.server = newServer(socket.RequireToken(at.Token, k.routes()), limited, k.ended, k.log)
	go func() { _ = k.server.Serve(limited) }() // it ends with Close
	return nil
}

// Record returns where the control socket is; zero: there is none.
func (k *Kept) Record() Record { return k.record }

// Close ends the calls that have no end, and closes the socket once the others are answered.
func (k *Kept) Close() {
	close(k.ended)
	defer k.unlock()
	if k.server == nil {
		return
	}
	if r, err := readRecordFile(k.dir.KeeperPath()); err != nil || r.Pid == k.record.Pid { // no other took its place
		removeKept(k.dir, k.record)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if k.server.Shutdown(ctx) != nil {
		_ = k.server.Close() // the connections end all the same
	}
}

// Restate says where the control socket is once more, and has a LockKeeper of its own, if both
// were removed with the world's local state, as by git clean -xdff. Where another process has that
// lock by now, it is a LockedError. Without a socket, it opens that of a process which has ended.
func (k *Kept) Restate() error {
	if _, err := os.Lstat(k.dir.KeeperPath()); k.server != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := k.dir.LockKeeper()
	locked := (*worlddir.LockedError)(nil)
	switch isLocked := errors.As(err, &locked); {
	case isLocked && k.server == nil:
		return nil // another process answers calls
	case isLocked && locked.Pid == os.Getpid(): // only the record was removed
	case err != nil:
		return err
	default:
		k.unlock() // of a file that is gone
		k.unlock = unlock
	}
	if k.server == nil {
		return k.Listen()
	}
	return writeRecordFile(k.dir.KeeperPath(), k.record)
}

// Use opens the world, has it used and closes it, as OpenAllowing and Close of World do.
func (k *Kept) Use(dir *worlddir.Dir, allowLoss bool, do func(*World) error) error {
	k.open.Lock()
	defer k.open.Unlock()
	world, err := OpenAllowing(dir, nil, allowLoss)
	if err != nil {
		return err
	}
	err = do(world)
	var types *entity.Types
	if l, ok := world.open.(*local); ok {
		types = l.world.Types()
	}
	err = errors.Join(err, world.Close())
	k.tell(types)
	return err
}

// use is Use by a call.
func (k *Kept) use(allowLoss bool, do func(*World) error) error {
	dir, err := k.find()
	if err != nil {
		return err
	}
	client, err := Mounted(dir)
	if err != nil {
		return err
	}
	if client != nil {
		return errMountedNow
	}
	return k.Use(dir, allowLoss, do)
}

// tell has watchers look for what is new in the history.
func (k *Kept) tell(types *entity.Types) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if types != nil {
		k.types = types
	}
	close(k.grown)
	k.grown = make(chan struct{})
}

// EndStreams ends the calls that have no end, since the world was mounted: what happens in it
// its daemon tells.
func (k *Kept) EndStreams() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.mounted)
	k.mounted = make(chan struct{})
}

// until returns what is closed when a call without an end has to end.
func (k *Kept) until(ctx context.Context) (done <-chan struct{}) {
	k.mu.Lock()
	mounted := k.mounted
	k.mu.Unlock()
	both := make(chan struct{})
	go func() {
		defer close(both)
		select {
		case <-k.ended:
		case <-mounted:
		case <-ctx.Done():
		}
	}()
	return both
}

// KeptBy returns the process that keeps a world in step which is not mounted, and that answers
// calls; nil if none does.
func KeptBy(dir *worlddir.Dir) (*Client, error) {
	r, err := readRecordFile(dir.KeeperPath())
	if err == nil && (r.World != dir.Root || r.Address != "" && !socket.IsLoopback(r.Address)) {
		err = ErrNoDaemon // it came with a copy of another world's directory
	}
	if err == nil {
		c := newClient(dir, r)
		if err = c.greetWithRetry(); err == nil {
			return c, nil
		}
	}
	if !errors.Is(err, ErrNoDaemon) {
		return nil, err
	}
	if r.Pid != 0 {
		sweepKept(dir)
	}
	return nil, nil
}

// sweepKept takes away what a process has left that kept the world in step and was killed.
func sweepKept(dir *worlddir.Dir) {
	unlock, err := dir.LockKeeper()
	if err != nil {
		return // another is at work by now
	}
	defer unlock()
	if r, err := readRecordFile(dir.KeeperPath()); err == nil && r.World == dir.Root {
		removeKept(dir, r)
	}
}

func removeKept(dir *worlddir.Dir, r Record) {
	_ = os.Remove(dir.KeeperPath()) // it may have gone before, and so may the socket
	if path, err := socket.KeptPath(dir.Root); err == nil && path == r.Socket {
		_ = os.Remove(path)
	}
}
