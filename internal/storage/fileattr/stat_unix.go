//go:build unix

package fileattr

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// Lstat returns what the system says of the file at a path; a symlink is not followed.
func Lstat(path string) (Stat, error) { return LstatAt(unix.AT_FDCWD, path) }

// LstatAt is Lstat of a path in the directory that is open as dir.
func LstatAt(dir int, path string) (Stat, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Stat{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return Stat{
		Stamp: Stamp{st.Ino, st.Size, timespecOf(st.Mtim), timespecOf(st.Ctim)},
		Atime: timespecOf(st.Atim),
		Perm:  uint32(st.Mode) & 0o777,
		Plain: st.Mode&unix.S_IFMT == unix.S_IFREG,
	}, nil
}

func timespecOf(ts unix.Timespec) Timespec {
	sec, nsec := ts.Unix()
	return Timespec{sec, nsec}
}

// SetMtime sets a file's mtime, which os.Chtimes takes only from 1677 to 2262. A symlink
// is not followed.
func SetMtime(path string, t time.Time) error {
	ts := unix.Timespec{Sec: t.Unix(), Nsec: int64(t.Nanosecond())}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{{Nsec: utimeOmit}, ts}, unix.AT_SYMLINK_NOFOLLOW)
}
