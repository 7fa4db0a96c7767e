package cache

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

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
	return fileStampOf(&st), nil
}

func fileStampOf(st *unix.Stat_t) fileStamp { return fileStamp{st.Ino, st.Size, st.Mtim, st.Ctim} }

const fileStampSize = 4 * 8

func (s fileStamp) append(dst []byte) []byte {
	for _, n := range []int64{int64(s.ino), s.size, s.mtime.Nano(), s.ctime.Nano()} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return dst
}

// parseFileStamp reads what append wrote; b is at least that long.
func parseFileStamp(b []byte) fileStamp {
	n := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return fileStamp{uint64(n(0)), n(1), unix.NsecToTimespec(n(2)), unix.NsecToTimespec(n(3))}
}

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
