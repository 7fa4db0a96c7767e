package fileattr

import (
	"encoding/binary"
	"time"
)

// FileTime returns the time that a file's change gets, which was changed last
// at prev.
//
// It is the kernel's coarse clock, as other file systems use: a finer one would
// put an edit after an index that git wrote later, and git would read the file
// again each time. Two changes in one tick of that clock still get two times,
// so that a program that remembers the first sees the second.
func FileTime(prev time.Time) time.Time {
	t := coarseNow()
	if ahead := prev.Sub(t); ahead >= 0 && ahead < time.Duration(Tick) {
		return prev.Add(1)
	}
	return t
}

// TimeSize is what a time takes in state.db: seconds since 1970, i64, and
// nanoseconds, u32. Nanoseconds alone end in 2262, and touch -d does not.
const TimeSize = 12

// AppendTime appends a time as state.db has it.
func AppendTime(dst []byte, t time.Time) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(t.Unix()))
	return binary.LittleEndian.AppendUint32(dst, uint32(t.Nanosecond()))
}

// ParseTime reads what AppendTime wrote; zero where there is less than that.
func ParseTime(b []byte) time.Time {
	if len(b) < TimeSize {
		return time.Time{}
	}
	return time.Unix(int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint32(b[8:])))
}

// Tick is a clock's, in nanoseconds: a file that changed less than that before it was read may have
// changed again in the same tick, with the same times.
const Tick = int64(20 * time.Millisecond)
