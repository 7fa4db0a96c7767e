package packfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// HasWriter reports whether the file is open for writing somewhere: a read
// lease is granted only where it is not. Where leases are not to be had the
// answer is no.
func HasWriter(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err != nil {
		return errors.Is(err, unix.EAGAIN)
	}
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // closing does it too
	return false
}

// OpenQuietly opens a file for reading so that its atime stays, which tells
// whether an engine has loaded it.
func OpenQuietly(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOATIME, 0)
	if errors.Is(err, unix.EPERM) { // it is another user's
		return os.Open(path)
	}
	return f, err
}
