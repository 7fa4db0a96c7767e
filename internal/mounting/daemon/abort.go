package daemon

import (
	"context"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// attend looks after the daemon while a call waits for its answer, until the
// function that it returns is called. The call is ended with giveUp where the
// daemon is stopped.
func (c *Client) attend(giveUp context.CancelCauseFunc) (stop func()) {
	look := time.NewTicker(time.Second)
	done := make(chan struct{})
	go func() {
		defer look.Stop()
		wasStopped := false
		for {
			select {
			case <-done:
				return
			case <-look.C:
				if mounts.Killed(c.Pid) {
					mounts.Abort(c.Mount)
				} else {
					wasStopped = c.requireRunning(giveUp, wasStopped)
				}
			}
		}
	}()
	return func() { close(done) }
}

// Guard ends, from now on until the process does, the connection of a daemon that
// is killed, where its mount covers path: this process would wait in it as soon
// as it looked at anything.
func Guard(path string) {
	go func() {
		for range time.Tick(time.Second) {
			dirs, _ := mounts.Worlds() // they are listed again
			for _, at := range dirs {
				if mounts.Within(path, at) {
					endKilled(at)
				}
			}
		}
	}()
}

// endKilled ends the connection of a mount if its daemon has been killed and is
// not quite gone. It reads only the runtime directory: whatever lies in the
// mount hangs then.
func endKilled(mount string) {
	for _, r := range runtimeRecords() {
		if r.Mount == mount && mounts.Killed(r.Pid) {
			mounts.Abort(mount)
		}
	}
}
