//go:build unix

package osfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Flags of os.OpenFile.
const (
	NoFollow = unix.O_NOFOLLOW | unix.O_CLOEXEC // a symlink is an error
	NoWait   = unix.O_NONBLOCK                  // a pipe without a writer is not waited for
)

// Lock locks a file, and waits for other processes that have it.
func Lock(f *os.File, how How) error { return flock(f, how, 0) }

// TryLock locks a file. The error is an ErrLocked where another process has it.
func TryLock(f *os.File, how How) error {
	err := flock(f, how, unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// flock is flock(2), which no signal interrupts.
func flock(f *os.File, how How, flags int) error {
	operation := unix.LOCK_EX
	if how == Shared {
		operation = unix.LOCK_SH
	}
	for {
		if err := unix.Flock(int(f.Fd()), operation|flags); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// OpenDirToLock opens a directory, so that it can be locked. Nothing is written.
func OpenDirToLock(dir string) (*os.File, error) { return os.Open(dir) }

// IsLinked reports whether an open file still has a name.
func IsLinked(f *os.File) bool {
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) == nil && st.Nlink > 0
}

// Owner returns which user a file belongs to that Lstat or Stat has told of.
func Owner(info fs.FileInfo) (uid int, known bool) {
	st, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(st.Uid), true
}

// OnOneDevice reports whether what Lstat or Stat has told of lies in one file system, so
// that a file can be renamed from there to here.
func OnOneDevice(one, other fs.FileInfo) bool {
	a, known := one.Sys().(*syscall.Stat_t)
	b, alsoKnown := other.Sys().(*syscall.Stat_t)
	return !known || !alsoKnown || a.Dev == b.Dev
}

// CheckWritable returns why this process cannot write to what is at a path: its file
// system is only read, or its user may not. What cannot be looked at is no error.
func CheckWritable(path string) error {
	err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
	if errors.Is(err, unix.EROFS) || errors.Is(err, unix.EACCES) {
		return err
	}
	return nil
}
