package fileattr

import (
	"time"

	"golang.org/x/sys/unix"
)

// coarseNow is the kernel's coarse clock.
func coarseNow() time.Time {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &ts); err != nil {
		return time.Now()
	}
	return time.Unix(ts.Unix())
}

const utimeOmit = unix.UTIME_OMIT
