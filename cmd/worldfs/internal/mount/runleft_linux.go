package mount

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// adoptOrphans has the processes that the game starts become children of this one when the
// process that started them ends: so they are known when the game has ended.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// awaitLeft waits for what the game, or the script that starts it, has left in the background.
// A daemon is not waited for: it leaves the session. SIGINT ends the waiting. passed is a signal
// that the game got, or had ended before it could: it is for what is left, too.
func awaitLeft(note func(string), passed os.Signal, caught <-chan os.Signal) {
	for more := true; more; {
		left, ok := remains()
		if !ok {
			return
		}
		note(fmt.Sprintf("the game has ended, and has left %s (process %d) in the background, which is waited for; Ctrl-C ends the waiting", left.Name, left.Pid))
		pass(left.Pid, passed)
		passed, more = awaitChild(left.Pid, passed, caught)
	}
}

// toLeave is how long what becomes a daemon has to leave the session before it is named.
const toLeave = 300 * time.Millisecond

// remains returns a process that is in the session still after toLeave.
func remains() (left mounts.Child, ok bool) {
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if left, ok = mounts.OwnChild(); !ok || time.Since(begun) > toLeave {
			return left, ok
		}
	}
}

// pass passes a signal on, if there is one. A process that has ended meanwhile needs none.
func pass(pid int, s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		_ = unix.Kill(pid, number)
	}
}

// awaitChild waits for a process to end or to leave the session, and passes on what is
// caught. It returns the last signal that was, and whether it has waited and was not given up.
func awaitChild(pid int, passed os.Signal, caught <-chan os.Signal) (os.Signal, bool) {
	ended := make(chan struct{})
	go func() {
		if p, err := os.FindProcess(pid); err == nil {
			_, _ = p.Wait() // how it ended is of no interest
		}
		close(ended)
	}()
	look := time.NewTicker(toLeave)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if !mounts.InSession(pid) {
				return passed, true
			}
		case s := <-caught:
			switch {
			case s == os.Interrupt:
				return passed, false
			case isPassedOn(s):
				passed = s
				pass(pid, s)
			}
		case <-ended:
			return passed, true
		}
	}
}
