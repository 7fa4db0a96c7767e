package fileattr

import (
	"encoding/binary"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Stamp tells one state of a file from another without reading it. The
// zero Stamp is no file's.
type Stamp struct {
	Ino          uint64
	Size         int64
	Mtime, Ctime unix.Timespec
}

// StampFile returns the stamp of the file at a path; a symlink is not followed.
func StampFile(path string) (Stamp, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return Stamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return StampOf(&st), nil
}

// StampOf returns the stamp in what stat(2) returned.
func StampOf(st *unix.Stat_t) Stamp { return Stamp{st.Ino, st.Size, st.Mtim, st.Ctim} }

// StampSize is the number of bytes that Stamp.Append appends.
const StampSize = 4 * 8

// Append appends the stamp's bytes, part of state.db's format: inode number, size,
// mtime and ctime in nanoseconds since 1970, each i64, little-endian.
func (s Stamp) Append(dst []byte) []byte {
	for _, n := range []int64{int64(s.Ino), s.Size, s.Mtime.Nano(), s.Ctime.Nano()} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return dst
}

// ParseStamp reads what Append wrote; b is at least StampSize bytes long.
func ParseStamp(b []byte) Stamp {
	n := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return Stamp{uint64(n(0)), n(1), unix.NsecToTimespec(n(2)), unix.NsecToTimespec(n(3))}
}
