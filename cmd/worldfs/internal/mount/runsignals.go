package mount

import (
	"os"
	"os/signal"
	"syscall"
)

// catchSignals has the signals that end a program come in on a channel, as long as stop is
// not called: what was begun is settled whatever comes. One that this process was started to
// ignore, as by nohup, stays ignored. SIGPIPE is caught since the game's output, and ours,
// may be read by a program that has ended.
func catchSignals() (caught <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 8)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c, func() { signal.Stop(c) }
}

// ending returns the signal among those that have come in by which this process was to end,
// nil if there is none.
func ending(caught <-chan os.Signal) os.Signal {
	for {
		select {
		case s := <-caught:
			if s != syscall.SIGPIPE {
				return s
			}
		default:
			return nil
		}
	}
}

// isPassedOn reports whether a signal is for the game as well as for this process. A terminal
// sends SIGINT to both by itself.
func isPassedOn(s os.Signal) bool { return s == syscall.SIGTERM || s == syscall.SIGHUP }

// exitBySignal is the exit status that shells have for a program which a signal ended.
func exitBySignal(s os.Signal) int {
	n, _ := s.(syscall.Signal) // all that are caught are
	return exitSignalled + int(n)
}
