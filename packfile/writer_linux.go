package packfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hasWriter reports whether the file is open for writing somewhere: a read
// lease is granted only where it is not. Where leases are not to be had the
// answer is no.
func hasWriter(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err != nil {
		return errors.Is(err, unix.EAGAIN)
	}
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // closing does it too
	return false
}
