package realfs

import (
	"time"

	"golang.org/x/sys/unix"
)

// StatxTime returns a time that statx(2) returned.
func StatxTime(t unix.StatxTimestamp) time.Time { return time.Unix(t.Sec, int64(t.Nsec)) }

// FlushedCtime is the ctime of a file that was flushed, or of the directory into which
// one was: as the disk has it since then, and as it was shown before, and is for
// as long as nothing else changes it. The zero value is that of what was not.
type FlushedCtime struct{ disk, shown time.Time }

// NewFlushedCtime returns that of a file that was flushed just now.
func NewFlushedCtime(st *unix.Statx_t, shown time.Time) FlushedCtime {
	return FlushedCtime{disk: StatxTime(st.Ctime), shown: shown}
}

// Show returns the ctime that is shown where the disk has another.
func (l FlushedCtime) Show(disk time.Time) time.Time {
	if disk.Equal(l.disk) {
		return l.shown
	}
	return disk
}

// Flush returns the directory's after one more file, which do makes.
func (l FlushedCtime) Flush(at *Desc, do func() error) (FlushedCtime, error) {
	before, err := at.Stat()
	if err != nil {
		return l, err
	}
	if err := do(); err != nil {
		return l, err
	}
	after, err := at.Stat()
	if err != nil {
		return l, nil // it is seen to have changed
	}
	return FlushedCtime{disk: StatxTime(after.Ctime), shown: l.Show(StatxTime(before.Ctime))}, nil
}
