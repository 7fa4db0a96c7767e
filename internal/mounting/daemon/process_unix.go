//go:build unix

package daemon

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ofItsOwn has a process go on when the terminal closes that it was started from.
func ofItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

// reopenLog makes this process, whose output is the world's log, go on in a new
// one.
func reopenLog(open func() (*os.File, error)) error {
	log, err := open()
	if err != nil {
		return err
	}
	defer log.Close()
	for _, fd := range []int{unix.Stdout, unix.Stderr} {
		if err := unix.Dup2(int(log.Fd()), fd); err != nil {
			return fmt.Errorf("reopen log: %w", err)
		}
	}
	return nil
}
