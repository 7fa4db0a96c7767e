package cache

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// wasRead reports whether the file was read since it was written, as far as
// its atime tells (the kernel sets it at the first reading after a change;
// where the file system has none, the answer is no). We read packs without it.
func wasRead(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && st.Atim.Nano() > st.Mtim.Nano()
}

// heldHere reports whether this process itself has the file open for writing.
func heldHere(f *os.File) bool {
	var file, other unix.Stat_t
	if unix.Fstat(int(f.Fd()), &file) != nil {
		return false
	}
	names, _ := filepath.Glob("/proc/self/fd/*") // the pattern is a good one
	for _, name := range names {
		fd, err := strconv.Atoi(filepath.Base(name))
		if err != nil || unix.Fstat(fd, &other) != nil || other.Ino != file.Ino || other.Dev != file.Dev {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err == nil && flags&unix.O_PATH == 0 && flags&unix.O_ACCMODE != unix.O_RDONLY {
			return true
		}
	}
	return false
}
