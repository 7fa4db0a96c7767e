package mounts

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Lives reports whether a process runs.
func Lives(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
