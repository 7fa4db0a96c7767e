package cache

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// FileTime returns the time that a file's change gets, which was changed last
// at prev.
//
// It is the kernel's coarse clock, as other file systems use: a finer one would
// put an edit after an index that git wrote later, and git would read the file
// again each time. Two changes in one tick of that clock still get two times,
// so that whoever remembers the first sees the second.
func FileTime(prev time.Time) time.Time {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &ts); err != nil {
		return time.Now()
	}
	t := time.Unix(ts.Unix())
	if ahead := prev.Sub(t); ahead >= 0 && ahead < time.Duration(tick) {
		return prev.Add(1)
	}
	return t
}

// timeSize is what a time takes in state.db: seconds since 1970, i64, and
// nanoseconds, u32. Nanoseconds alone end in 2262, and touch -d does not.
const timeSize = 12

func appendTime(dst []byte, t time.Time) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(t.Unix()))
	return binary.LittleEndian.AppendUint32(dst, uint32(t.Nanosecond()))
}

// parseTime reads what appendTime wrote; zero where there is less than that.
func parseTime(b []byte) time.Time {
	if len(b) < timeSize {
		return time.Time{}
	}
	return time.Unix(int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint32(b[8:])))
}
