package realfs

import (
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Owner is the user and group that a new file belongs to.
type Owner struct{ UID, GID uint32 }

// Desc is an open descriptor, perhaps one that only names the file (O_PATH).
type Desc struct {
	FD       int
	names    bool // it only names the file: nothing is read or written by it
	writable bool
}

func newDesc(n, flags int) *Desc {
	return &Desc{FD: n, names: flags&unix.O_PATH != 0, writable: flags&unix.O_ACCMODE != unix.O_RDONLY}
}

// Serves reports whether the descriptor does for what flags would open.
func (d *Desc) Serves(flags int) bool {
	if flags&unix.O_PATH != 0 {
		return true
	}
	return !d.names && (d.writable || flags&unix.O_ACCMODE == unix.O_RDONLY)
}

// Close closes the descriptor; nil is none.
func (d *Desc) Close() {
	if d != nil {
		_ = unix.Close(d.FD) // nothing is buffered behind a descriptor
	}
}

// Magic is the path by which the kernel finds the descriptor's file again,
// without walking one. Some calls do not take a descriptor that only names.
func (d *Desc) Magic() string { return "/proc/self/fd/" + strconv.Itoa(d.FD) }

// Reopen opens the descriptor's file anew, for other uses.
func (d *Desc) Reopen(flags int) (*Desc, error) {
	n, err := opened(func() (int, error) { return unix.Open(d.Magic(), flags|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	return newDesc(n, flags), nil
}

// force is Reopen for a file whose owner, not root, has made it unreadable or
// read-only after a process opened it: the process goes on as it did, and so do
// we.
func (d *Desc) force(flags int) (*Desc, error) {
	again, err := d.Reopen(flags)
	if !errors.Is(err, unix.EACCES) {
		return again, err
	}
	st, statErr := d.Stat()
	if statErr != nil || d.Chmod(uint32(st.Mode)&0o7777|0o600) != nil {
		return nil, err
	}
	again, err = d.Reopen(flags)
	return again, errors.Join(err, d.Chmod(uint32(st.Mode)&0o7777))
}

// Stat returns what is told of the file.
func (d *Desc) Stat() (*unix.Statx_t, error) {
	var st unix.Statx_t
	err := unix.Statx(d.FD, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
	return &st, err
}

// Chmod sets the permission bits.
func (d *Desc) Chmod(mode uint32) error { return unix.Chmod(d.Magic(), mode) }

// Chown gives the file to its owner. Only root can, and only root
// creates for others.
func (d *Desc) Chown(o Owner) error {
	err := unix.Fchownat(d.FD, "", int(o.UID), int(o.GID), unix.AT_EMPTY_PATH)
	if errors.Is(err, unix.EPERM) && os.Geteuid() != 0 {
		return nil
	}
	return err
}

// Change says which attributes to change; nil stands still.
type Change struct {
	Mode         *uint32
	UID, GID     *uint32
	Mtime, Atime *time.Time
}

// SetAttr changes attributes.
func (d *Desc) SetAttr(c Change) error {
	if c.UID != nil || c.GID != nil {
		if err := unix.Fchownat(d.FD, "", idOrSame(c.UID), idOrSame(c.GID), unix.AT_EMPTY_PATH); err != nil {
			return err
		}
	}
	if c.Mode != nil {
		if err := d.Chmod(*c.Mode); err != nil {
			return err
		}
	}
	return d.setTimes(c)
}

// idOrSame returns an ID for chown, which takes -1 for unchanged.
func idOrSame(id *uint32) int {
	if id == nil {
		return -1
	}
	return int(int32(*id))
}

func (d *Desc) setTimes(c Change) error {
	omit := unix.Timespec{Nsec: unix.UTIME_OMIT}
	ts := []unix.Timespec{omit, omit}
	if c.Atime != nil {
		ts[0] = unix.NsecToTimespec(c.Atime.UnixNano())
	}
	if c.Mtime != nil {
		ts[1] = unix.NsecToTimespec(c.Mtime.UnixNano())
	}
	if ts[0] == omit && ts[1] == omit {
		return nil
	}
	return unix.UtimesNanoAt(d.FD, "", ts, unix.AT_EMPTY_PATH)
}

// ReadAt reads until p is full or the file ends.
func (d *Desc) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := eintr(func() (int, error) { return unix.Pread(d.FD, p[done:], off+int64(done)) })
		if err != nil {
			return done, err
		}
		if n == 0 {
			break
		}
		done += n
	}
	return done, nil
}

// WriteAt writes all of p, or says how much of it.
func (d *Desc) WriteAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := eintr(func() (int, error) { return unix.Pwrite(d.FD, p[done:], off+int64(done)) })
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Sync makes the file durable.
func (d *Desc) Sync() error { return unix.Fsync(d.FD) }

// Dup returns another descriptor of the same open file.
func (d *Desc) Dup() (*Desc, error) {
	n, err := opened(func() (int, error) { return unix.FcntlInt(uintptr(d.FD), unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	return &Desc{FD: n, names: d.names, writable: d.writable}, nil
}

// UseReopened opens the descriptor's file anew for as long as do needs it.
func (d *Desc) UseReopened(flags int, do func(*Desc) error) error {
	again, err := d.force(flags)
	if err != nil {
		return err
	}
	defer again.Close()
	return do(again)
}

// OpenFor opens a file for what flags ask: a process that only reads does not look
// like a writer to programs that watch the file beneath the mount. The kernel has
// checked the permissions.
func (d *Desc) OpenFor(flags int) (*Desc, error) {
	if flags&unix.O_ACCMODE == unix.O_RDONLY {
		return d.force(unix.O_RDONLY)
	}
	return d.force(unix.O_RDWR)
}

// OpenFully opens a file for reading and writing or, as far as the daemon may,
// for reading.
func (d *Desc) OpenFully() (*Desc, error) {
	again, err := d.Reopen(unix.O_RDWR)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EROFS) {
		return d.force(unix.O_RDONLY)
	}
	return again, err
}

func eintr[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if !errors.Is(err, unix.EINTR) {
			return v, err
		}
	}
}
