package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// A call may take as long as its work does. A daemon that is stopped, or hangs,
// would keep its caller waiting for ever all the same, so the caller asks beside
// the call whether the daemon lives, which is answered whatever else it does. One
// of a build before that call answers 404, which is an answer.

// maxSilence is how long a daemon may take to show that it lives.
const maxSilence = 2 * time.Second

// livenessDelay is how long an answer may take before the daemon is asked for a sign
// of life, too: most answers come sooner.
const livenessDelay = 200 * time.Millisecond

// answersBy reports whether the daemon shows before ctx ends that it lives.
// One that is gone has answered: its caller finds that out by itself.
func (c *Client) answersBy(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, controlURL+"alive", http.NoBody)
	if err != nil {
		return true // it is the same request each time
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return !errors.Is(err, context.DeadlineExceeded)
	}
	resp.Body.Close()
	return true
}

// watchLiveness ends a call with cancel where the daemon does not show within
// maxSilence that it lives. The call is over when the function that it returns is
// called.
func (c *Client) watchLiveness(cancel context.CancelCauseFunc) (stop func()) {
	ctx, done := context.WithTimeout(context.Background(), maxSilence)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(livenessDelay):
		}
		if !c.answersBy(ctx) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel(silentError(c.Record))
		}
	}()
	return done
}

// requireRunning ends a call with cancel where the daemon has been stopped.
func (c *Client) requireRunning(cancel context.CancelCauseFunc, wasStopped bool) (isStopped bool) {
	isStopped = mounts.Stopped(c.Pid)
	if wasStopped && isStopped { // not only for a debugger's or a checkpointer's moment
		cancel(silentError(c.Record))
	}
	return isStopped
}

// silentError says which daemon does not answer, and what can be done.
func silentError(r Record) error {
	who := fmt.Sprintf("the daemon of %s (process %d)", r.World, r.Pid)
	if mounts.Stopped(r.Pid) {
		return &Failure{Exit: ExitFailed, Message: fmt.Sprintf("%s is stopped and does not answer: kill -CONT %d has it go on", who, r.Pid)}
	}
	return &Failure{Exit: ExitFailed, Message: fmt.Sprintf("%s has not answered for %v: wait for it, or end it with kill -9 %d,"+
		" which loses nothing that was synced, and mount again", who, maxSilence, r.Pid)}
}

// checkAnswers returns an error where nothing serves a mount although its daemon
// is there: what asks that mount would wait for ever. It asks nothing but the
// runtime directory and the daemon's socket. Of another user's mount it does not
// know.
func checkAnswers(mount string) error {
	r, ok := recordAt(mount)
	if !ok || !exists(r.Socket) || mounts.Killed(r.Pid) {
		return nil
	}
	ctx, done := context.WithTimeout(context.Background(), maxSilence)
	defer done()
	if newClient(nil, r).answersBy(ctx) {
		return nil
	}
	if r, ok = recordAt(mount); !ok || mounts.Killed(r.Pid) || !mounts.Lives(r.Pid) { // it may have been killed meanwhile
		endKilled(mount)
		return nil
	}
	return silentError(r)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// recordAt returns what the daemon of a mount has noted.
func recordAt(mount string) (Record, bool) {
	for _, r := range runtimeRecords() {
		if r.Mount == mount {
			return r, true
		}
	}
	return Record{}, false
}
