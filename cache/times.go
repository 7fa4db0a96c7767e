package cache

import (
	"time"

	"golang.org/x/sys/unix"
)

// fileTime returns the time that a file's change gets, which was changed last
// at prev.
//
// It is the kernel's coarse clock, as other file systems use: a finer one would
// put an edit after an index that git wrote later, and git would read the file
// again each time. Two changes in one tick of that clock still get two times,
// so that whoever remembers the first sees the second.
func fileTime(prev time.Time) time.Time {
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
