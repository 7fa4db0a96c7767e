package cache

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// fileStamp tells one state of a file from another without reading it. The
// zero fileStamp is no file's.
type fileStamp struct {
	ino          uint64
	size         int64
	mtime, ctime unix.Timespec
}

func stampFile(path string) (fileStamp, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return fileStamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return fileStamp{st.Ino, st.Size, st.Mtim, st.Ctim}, nil
}

// wasRead reports whether the file was read since it was written, as far as
// its atime tells (the kernel sets it at the first reading after a change;
// where the file system has none, the answer is no). We read packs without it.
func wasRead(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && st.Atim.Nano() > st.Mtim.Nano()
}
