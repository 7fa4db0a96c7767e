package cache

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

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
