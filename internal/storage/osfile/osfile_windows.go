package osfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// Flags of os.OpenFile.
const (
	NoFollow = windows.FILE_FLAG_OPEN_REPARSE_POINT // of a symlink nothing can be read
	NoWait   = 0
)

// Lock locks a file, and waits for other processes that have it.
func Lock(f *os.File, how How) error { return lockFile(f, how, 0) }

// TryLock locks a file. The error is an ErrLocked where another process has it.
func TryLock(f *os.File, how How) error {
	err := lockFile(f, how, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// lockFile locks one byte that no file reaches to: what is locked here others cannot read.
func lockFile(f *os.File, how How, flags uint32) error {
	if how == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}

// OpenDirToLock opens what stands for a directory where it is locked: no directory can be
// locked itself, and nothing is written into it. It is a file of this user's among the
// temporary ones, named by the directory's path.
func OpenDirToLock(dir string) (*os.File, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	name := sha256.Sum256([]byte(strings.ToLower(path)))
	return os.OpenFile(filepath.Join(os.TempDir(), "worldfs-lock-"+hex.EncodeToString(name[:16])), os.O_RDWR|os.O_CREATE|NoFollow, 0o600)
}

// IsLinked reports whether an open file still has a name.
func IsLinked(f *os.File) bool {
	var by windows.ByHandleFileInformation
	return windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &by) == nil && by.NumberOfLinks > 0
}

// Owner returns which user a file belongs to: of users by numbers nothing is known here.
func Owner(fs.FileInfo) (uid int, known bool) { return 0, false }

// OnOneDevice reports whether two files lie in one file system: nothing is mounted here.
func OnOneDevice(_, _ fs.FileInfo) bool { return true }

// CheckWritable returns why this process cannot write to what is at a path: who may is in
// access lists here, so the attempt tells.
func CheckWritable(string) error { return nil }
