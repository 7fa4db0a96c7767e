// Package daemon is how a world is used: by a process behind a mount, or by a
// command alone. Open gives a command the world either way: it asks the daemon
// where there is one, over a Unix socket, and else takes the lock and opens
// the world itself. Start and Run make the daemon.
//
// The daemon is the one process that holds a mounted world's lock. It is ready
// when Start returns, and gone, with everything durable, the pack whole and
// the plain files back, when Unmount returns. Killed at any point it loses
// nothing that was synced: the next command that takes the lock finishes what
// was begun (see plaintree.Tree).
//
// The socket lies in the user's runtime directory, mode 0600, and answers the
// daemon's own user and root. A call costs a connection and two JSON texts.
package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/connlimit"
	"github.com/worldfs/worldfs/internal/mounting/desktop"
	"github.com/worldfs/worldfs/internal/mounting/idlemem"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/mounting/selection"
	"github.com/worldfs/worldfs/internal/mounting/socket"
	"github.com/worldfs/worldfs/internal/mounting/vcswatch"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// RunOptions are the options of Run.
type RunOptions struct {
	Mounting   worlddir.Mounting // where to mount, and in which shape
	AllowOther bool              // other users see the mount too
	AllowLoss  bool              // what is missing already is deleted, even if it is most of the world
	Log        *slog.Logger      // nil: nothing is logged
	Reader     []string          // the command that prefetches a mount (see prefetch.Start); nil: nothing is prefetched
	Self       []string          // the command that runs this program; nil: version control is not told by itself
	Ready      func()            // called once when the mount can be used

	reopenLog func() error // has the log go on in a new file, after the old one was removed
}

// daemon is a world being served.
type daemon struct {
	service
	plain   plaintree.Tree
	warming warmth
	mount   served
	ended   chan struct{} // closed when the kernel has let go of the mount
	log     *slog.Logger
	record  Record
	unlock  func()
	beneath coveredDirs // in the cover shape

	hadPlain  bool         // plain files were moved to .worldfs/plain
	reopenLog func() error // nil: the log is not in .worldfs

	listener *connlimit.Listener
	server   *http.Server

	settings settings
	selected selection.Board
	vcs      *vcswatch.Watch // nil: there is none
	renewer  *renewer        // nil: .worldfs cannot be removed, or is not looked after; guarded by mu

	calls  sync.RWMutex // read-locked while a call uses the world
	closed bool         // guarded by calls: the world is closed

	mu   sync.Mutex // one at a time ends the mount
	done chan struct{}
	err  error // how it ended, once done is closed
	how  Ended // likewise
}

// Run mounts the world and serves it until it is unmounted, by a call, by a
// signal or from outside. Where another process has the world the error is a
// worlddir.ErrLocked.
func Run(dir *worlddir.Dir, o RunOptions) error {
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	room := idlemem.NewHeadroom()
	d, err := startFull(dir, o)
	if err != nil {
		return err
	}
	serving := make(chan error, 1)
	go func() { serving <- d.server.Serve(d.listener) }()
	if o.Mounting.Shape != worlddir.ShapeCover { // there no program reaches .worldfs
		d.watchState()
	}
	o.Log.Info("mounted", "mount", d.record.Mount, "socket", d.record.Socket)
	if o.Ready != nil {
		o.Ready()
	}
	go d.keepReserve()
	go room.GiveBack(d.mount.Opened(), d.done)
	hurry := d.untilDone(signals, serving)
	err = d.shutdown()
	if !hurry {
		d.serveLeft(signals)
	}
	return err
}

// serveLeft returns when the kernel has let go of a mount that was detached: processes
// stand in it. The world is not ours any more. A signal ends it, too.
func (d *daemon) serveLeft(signals <-chan os.Signal) {
	select {
	case <-d.ended:
	case <-signals:
	}
}

// startFull is start that spends the world's reserve where the disk is full. It
// reaches the reserve by a descriptor: the mount may cover it by then.
func startFull(dir *worlddir.Dir, o RunOptions) (d *daemon, err error) {
	beneath, release, err := dir.Beneath()
	if err != nil {
		return nil, err
	}
	defer release()
	err = beneath.Reserve().Spend(func() (err error) { d, err = start(dir, o); return err })
	return d, err
}

// start takes the world and mounts it; if it fails, all is as before.
func start(dir *worlddir.Dir, o RunOptions) (_ *daemon, err error) {
	d := &daemon{log: o.Log, reopenLog: o.reopenLog, ended: make(chan struct{}), done: make(chan struct{})}
	var undo undoing
	defer func() {
		if err != nil {
			d.warming.Close() // first, for it reads the world
			undo.run()
		}
	}()
	if err := mounts.CheckFUSE(); err != nil {
		return nil, err
	}
	d.warm(dir.Settings, o.Reader)
	if err := d.open(dir, o, &undo); err != nil {
		return nil, err
	}
	undo.add(func() error { return d.plain.Recover() })
	d.warming.Render(d.world)
	cover := d.coverOf(o.Mounting)
	taken := vcswatch.Begin(d.dir, d.world)
	d.vcs = vcswatch.New(vcswatch.Options{Dir: d.dir, Command: o.Self, Edits: d.world.Edits, Scratch: func() (string, error) { return d.mount.Scratch() }, Layout: d.world.Layout, Log: o.Log})
	if err := d.plain.Prepare(); err != nil {
		return nil, err
	}
	if err := d.endAllowance(o.AllowLoss); err != nil {
		return nil, err
	}
	d.vcs.TakenIn(taken)
	if _, err := os.Lstat(d.dir.PlainPath()); err == nil {
		d.hadPlain = true
	}
	if err := d.world.HoldBases(); err != nil {
		return nil, err
	}
	if err := d.listen(o.Mounting); err != nil {
		return nil, err
	}
	undo.add(func() error { d.hangUp(); return d.listener.Close() })
	if d.mount, err = d.serve(o, cover); err != nil {
		return nil, err
	}
	go func() { d.mount.Wait(); close(d.ended) }()
	go d.watchSettings()
	go d.vcs.Run(d.ended)
	if dir.Settings.Notify {
		go desktop.Run(d.ended, d.world.Log(), d.log)
	}
	return d, nil
}

// open takes the lock and opens the world.
func (d *daemon) open(dir *worlddir.Dir, o RunOptions, undo *undoing) error {
	m := o.Mounting
	client, unlock, err := acquire(dir, nil)
	if err != nil {
		return err
	}
	if client != nil {
		return &MountedError{client.Record}
	}
	if err := dir.CheckFormat(); err != nil {
		unlock()
		return err
	}
	d.unlock = unlock
	undo.add(func() error { unlock(); return nil })
	if err := clearStale(dir, nil); err != nil {
		return err
	}
	if err := dir.Exclude(); err != nil {
		d.log.Warn("git is not told what is local", "error", err)
	}
	if m.Shape == worlddir.ShapeCover {
		if dir, err = d.beneath.open(dir, m.At); err != nil {
			return err
		}
		undo.add(d.beneath.close)
	}
	world, err := cache.Open(dir, cache.Options{Log: d.log, PlainFirst: true, AllowLoss: o.AllowLoss})
	if err != nil {
		return fmt.Errorf("open world: %w", err)
	}
	undo.add(world.Close)
	d.service = service{dir: dir, world: world}
	d.plain = plaintree.Tree{Dir: dir, World: world, Covered: m.Shape == worlddir.ShapeCover, Beneath: &d.how.Beneath}
	return nil
}

// undoing is what has to be undone when a later step fails.
type undoing []func() error

func (u *undoing) add(f func() error) { *u = append(*u, f) }

func (u undoing) run() {
	for _, f := range slices.Backward(u) {
		_ = f() // the first error is the one to report
	}
}

// listen opens the socket and says in daemon.json where it is.
func (d *daemon) listen(m worlddir.Mounting) error {
	sweepRecords()
	path, err := socket.Path(d.dir.Root)
	if err != nil {
		return err
	}
	l, err := socket.Listen(path)
	if err != nil {
		return err
	}
	d.listener = connlimit.New(l, maxConnections)
	d.record = Record{
		Socket: path, Pid: os.Getpid(), World: d.dir.Root, ID: uuid.UUID(d.dir.ID).String(),
		Shape: m.Shape, Mount: m.At, Started: time.Now().UTC(),
	}
	d.server = newServer(d.routes(), d.listener, d.ended, d.log)
	if err := writeRecord(d.dir, d.record); err != nil {
		d.hangUp()
		return err
	}
	return nil
}

// hangUp takes the names away by which the daemon is found. The socket's goes
// while the lock is held: afterwards it may be the next daemon's.
func (d *daemon) hangUp() { removeRecord(d.dir, d.record) }

// untilDone waits for whatever ends the mount first, and reports whether that was a
// signal that leaves no time.
func (d *daemon) untilDone(signals <-chan os.Signal, serving <-chan error) (hurry bool) {
	for {
		select {
		case <-d.done:
			return hurry
		case <-d.ended:
			if err := d.unmount(true); err != nil {
				d.log.Error("after the mount was ended from outside", "error", err)
			}
		case err := <-serving:
			d.log.Error("control socket", "error", err)
			serving = nil
		case s := <-signals:
			d.log.Info("signal", "signal", s.String())
			// Someone at the terminal can close what is open; at SIGTERM the
			// machine may be going down.
			hurry = s == syscall.SIGTERM
			if err := d.unmount(hurry); err != nil {
				d.log.Error("unmount", "error", err)
			}
		}
	}
}

// shutdown lets the calls be answered that are under way, and closes.
func (d *daemon) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := d.server.Shutdown(ctx); err != nil {
		_ = d.server.Close() // the connections end all the same
	}
	d.log.Info("ended")
	return d.err
}
