//go:build unix

package mount

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyResized has the channel get a signal when the terminal has another size.
func notifyResized(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH) }
