package replay

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/prefetch"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

const (
	replayBatch = 64                    // how many events the process is given at once
	replayPause = 16 * time.Millisecond // after as many as that: 4,000 a second and no more
	replayTime  = 5 * time.Second       // in which it has to be done with them
	replayTries = 2                     // how many processes may fail at a batch
	replayIdle  = 30 * time.Second      // after which it ends
)

// Replayer has watchers of the mount hear of what worldfs itself changed, by a process
// that replays it. It starts one when there is something to tell, and ends it
// when there was nothing for a while.
type Replayer struct {
	log     *slog.Logger
	forget  func(id entity.ID, name string)
	command []string // of the process
	dir     string   // the entities directory
	queue   *eventQueue
	Answers *Answers // to what the process asks
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{} // closed when the goroutine has ended

	turn    lockorder.Mutex   // held by what uses or ends the process, and by what needs it away
	process *prefetch.Process // nil: there is none; guarded by turn

	mu   lockorder.Mutex
	kill func() // ends the process, whatever it is at; guarded by mu
}

// Options say what a replayer works with.
type Options struct {
	World   *cache.World
	Log     *slog.Logger
	Command []string // of the process, which calls Lines; none: nothing is replayed
	Dir     string   // the entities directory
	// Forget has the kernel forget what it knows of an entity's name.
	Forget func(id entity.ID, name string)
}

// New returns the replayer of a mount that is going to be made.
func New(o Options) *Replayer {
	a := &Replayer{
		log: o.Log, forget: o.Forget, command: o.Command, dir: o.Dir,
		queue: newEventQueue(o.World), done: make(chan struct{}), kill: func() {},
	}
	a.turn.Init(&classTurn)
	a.mu.Init(&classKill)
	a.Answers = newAnswers(o.World, a.queue)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	go a.run()
	return a
}

// Replay has watchers hear of changes that the kernel was told of.
func (a *Replayer) Replay(batch []Notice) {
	if len(a.command) > 0 {
		a.queue.add(batch)
	}
}

// Announce has watchers hear of a change of an entity's file, whether or not it is so.
func (a *Replayer) Announce(id entity.ID, what Change) { a.queue.announce(id, what) }

// Overflow has them hear that a directory changed.
func (a *Replayer) Overflow(dir string) {
	if len(a.command) > 0 {
		a.queue.overflow(dir)
	}
}

// PID returns the process that replays, 0 if there is none.
func (a *Replayer) PID() int {
	a.turn.Lock()
	defer a.turn.Unlock()
	if a.process == nil {
		return 0
	}
	return a.process.PID()
}

// Close returns when the process has ended, and none will be started.
func (a *Replayer) Close() {
	a.cancel()
	<-a.done
}

// EndAndLock ends the process, so that nothing of ours is open in the mount, and keeps
// another from being started until release is called.
func (a *Replayer) EndAndLock() (release func()) {
	a.mu.Lock()
	kill := a.kill
	a.mu.Unlock()
	kill()
	a.turn.Lock()
	_ = a.endLocked() // it was killed
	return a.turn.Unlock
}

func (a *Replayer) run() {
	defer close(a.done)
	idle := time.NewTimer(replayIdle)
	defer idle.Stop()
	for a.ctx.Err() == nil {
		select {
		case <-a.queue.more:
			a.drain()
			idle.Reset(replayIdle)
		case <-idle.C:
			a.EndAndLock()()
		case <-a.ctx.Done():
		}
	}
	a.EndAndLock()()
}

// drain has all events done that wait.
func (a *Replayer) drain() {
	for failed := 0; a.ctx.Err() == nil; {
		batch := a.queue.take(replayBatch)
		if len(batch) == 0 {
			return
		}
		left, err := a.replay(batch)
		if err == nil {
			failed = 0
			a.pause(len(batch))
			continue
		}
		if failed++; failed < replayTries {
			a.queue.again(left)
			continue
		}
		failed = 0
		a.log.Warn("programs that watch the mount were not told of changes", "count", len(left), "error", err)
	}
}

func (a *Replayer) pause(done int) {
	if done < replayBatch {
		return
	}
	select {
	case <-time.After(replayPause):
	case <-a.ctx.Done():
	}
}

// replay has a batch replayed, and returns it if the process failed.
func (a *Replayer) replay(batch []event) (left []event, err error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	if err := a.startLocked(); err != nil {
		_ = a.endLocked() // that it did not start is why
		return batch, err
	}
	secret := rand.Text()
	lines := []string{secretXattr + secret}
	for _, x := range batch {
		lines = append(lines, x.line())
	}
	a.Answers.set(secret, batch)
	a.forgetMissing(batch)
	defer time.AfterFunc(replayTime, a.kill).Stop()
	if _, err = a.process.Ask(lines...); err != nil {
		err = a.endLocked()
	}
	return a.Answers.end(), err
}

// forgetMissing has the kernel forget that files are missing that are to be unlinked:
// what it knows to be missing, it does not ask to unlink. It is not told so again
// before they are (see answers.awaits).
func (a *Replayer) forgetMissing(batch []event) {
	for _, x := range batch {
		if x.what == Removed {
			a.forget(x.id, x.name())
		}
	}
}

func (a *Replayer) startLocked() error {
	if a.process != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(a.ctx)
	p, err := prefetch.StartProcess(ctx, a.command)
	if err != nil {
		cancel()
		return err
	}
	a.process = p
	a.mu.Lock()
	a.kill = cancel
	a.mu.Unlock()
	return p.Open(a.dir, 0)
}

// endLocked returns when the process has ended, if there is one, and says why it did.
// Its requests are known as its own for as long as it may have made any: a process
// ends only when its last was answered.
func (a *Replayer) endLocked() error {
	if a.process == nil {
		return nil
	}
	a.kill()
	for {
		err := unix.Waitid(unix.P_PID, a.process.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	a.Answers.processEnded()
	err := a.process.End(nil)
	a.process = nil
	if err == nil {
		err = fmt.Errorf("read ahead: %w", context.Canceled)
	}
	return err
}
