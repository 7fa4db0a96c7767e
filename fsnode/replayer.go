package fsnode

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

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

// replayer has watchers of the mount hear of what worldfs itself changed, by a process
// that replays it (see event). It starts one when there is something to tell, and ends it
// when there was nothing for a while.
type replayer struct {
	fsys    *fsys
	command []string // calls ReadAhead
	dir     string   // the entities directory
	queue   *eventQueue
	filter  *replayFilter
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{} // closed when the goroutine has ended

	turn    lockorder.Mutex   // held by what uses or ends the process, and by what needs it away
	process *prefetch.Process // nil: there is none; guarded by turn

	mu   lockorder.Mutex
	kill func() // ends the process, whatever it is at; guarded by mu
}

// newReplayer returns the replayer of a mount that is going to be made, whose entities
// directory dir is. Without a command it does nothing. What its stage passes requests
// on to, is set before any comes.
func newReplayer(f *fsys, command []string, dir string) *replayer {
	a := &replayer{
		fsys: f, command: command, dir: dir, queue: newEventQueue(f.world), done: make(chan struct{}), kill: func() {},
	}
	a.turn.Init(&classTurn)
	a.mu.Init(&classKill)
	a.filter = &replayFilter{fsys: f, queue: a.queue}
	a.filter.mu.Init(&classFilter)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	go a.run()
	return a
}

// tell has watchers hear of changes that the kernel was told of.
func (a *replayer) tell(batch []notice) {
	if len(a.command) > 0 {
		a.queue.add(batch)
	}
}

// overflow has them hear that a directory changed.
func (a *replayer) overflow(dir string) {
	if len(a.command) > 0 {
		a.queue.overflow(dir)
	}
}

// close returns when the process has ended, and none will be started.
func (a *replayer) close() {
	a.cancel()
	<-a.done
}

// endAndLock ends the process, so that nothing of ours is open in the mount, and keeps
// another from being started until release is called.
func (a *replayer) endAndLock() (release func()) {
	a.mu.Lock()
	kill := a.kill
	a.mu.Unlock()
	kill()
	a.turn.Lock()
	_ = a.endLocked() // it was killed
	return a.turn.Unlock
}

func (a *replayer) run() {
	defer close(a.done)
	idle := time.NewTimer(replayIdle)
	defer idle.Stop()
	for a.ctx.Err() == nil {
		select {
		case <-a.queue.more:
			a.drain()
			idle.Reset(replayIdle)
		case <-idle.C:
			a.endAndLock()()
		case <-a.ctx.Done():
		}
	}
	a.endAndLock()()
}

// drain has all events done that wait.
func (a *replayer) drain() {
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
		a.fsys.log.Warn("programs that watch the mount were not told of changes", "count", len(left), "error", err)
	}
}

func (a *replayer) pause(done int) {
	if done < replayBatch {
		return
	}
	select {
	case <-time.After(replayPause):
	case <-a.ctx.Done():
	}
}

// replay has a batch replayed, and returns it if the process failed.
func (a *replayer) replay(batch []event) (left []event, err error) {
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
	a.filter.set(secret, batch)
	a.forgetMissing(batch)
	defer time.AfterFunc(replayTime, a.kill).Stop()
	if _, err = a.process.Ask(lines...); err != nil {
		err = a.endLocked()
	}
	return a.filter.end(), err
}

// forgetMissing has the kernel forget that files are missing that are to be unlinked:
// what it knows to be missing, it does not ask to unlink. It is not told so again
// before they are (see replayFilter.Lookup).
func (a *replayer) forgetMissing(batch []event) {
	for _, x := range batch {
		if x.what != removed {
			continue
		}
		if dir := a.fsys.dirOf(x.id); dir != nil {
			a.fsys.notices.entry(dir, x.name())
		}
	}
}

func (a *replayer) startLocked() error {
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
func (a *replayer) endLocked() error {
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
	a.filter.processEnded()
	err := a.process.End(nil)
	a.process = nil
	if err == nil {
		err = fmt.Errorf("read ahead: %w", context.Canceled)
	}
	return err
}
