package daemon

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// ofItsOwn has a process go on when the console closes that it was started from.
func ofItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

func closeOnExec(int) {} // no process has files here that were not handed to it

// reopenLog is not needed here: a log that is open cannot be removed.
func reopenLog(func() (*os.File, error)) error { return errors.ErrUnsupported }
