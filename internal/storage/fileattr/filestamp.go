package fileattr

import (
	"encoding/binary"
	"time"
)

// Timespec is a time of a file, as stat(2) has it: nanoseconds alone end in 2262.
type Timespec struct {
	Sec  int64 // since 1970
	Nsec int64 // 0 to 999,999,999
}

// Nano returns the time as nanoseconds since 1970.
func (t Timespec) Nano() int64 { return t.Sec*1e9 + t.Nsec }

// Time returns the time.
func (t Timespec) Time() time.Time { return time.Unix(t.Sec, t.Nsec) }

// timespec returns the time of so many nanoseconds since 1970.
func timespec(ns int64) Timespec {
	t := time.Unix(0, ns)
	return Timespec{t.Unix(), int64(t.Nanosecond())}
}

// Stamp tells one state of a file from another without reading it. The
// zero Stamp is no file's.
type Stamp struct {
	Ino          uint64
	Size         int64
	Mtime, Ctime Timespec
}

// Stat is what the system says of a file without reading it.
type Stat struct {
	Stamp
	Atime Timespec
	Perm  uint32 // permission bits
	Plain bool   // an ordinary file: no directory, symlink or the like
}

// StampFile returns the stamp of the file at a path; a symlink is not followed.
func StampFile(path string) (Stamp, error) {
	st, err := Lstat(path)
	return st.Stamp, err
}

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
	return Stamp{uint64(n(0)), n(1), timespec(n(2)), timespec(n(3))}
}
