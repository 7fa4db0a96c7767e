package fsnode

import (
	"errors"
	"os"
	"strconv"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// desc is an open descriptor, perhaps one that only names the file (O_PATH).
type desc struct {
	n        int
	names    bool // it only names the file: nothing is read or written by it
	writable bool
}

func newDesc(n, flags int) *desc {
	return &desc{n: n, names: flags&unix.O_PATH != 0, writable: flags&unix.O_ACCMODE != unix.O_RDONLY}
}

// serves reports whether the descriptor does for what flags would open.
func (d *desc) serves(flags int) bool {
	if flags&unix.O_PATH != 0 {
		return true
	}
	return !d.names && (d.writable || flags&unix.O_ACCMODE == unix.O_RDONLY)
}

func (d *desc) close() {
	if d != nil {
		_ = unix.Close(d.n) // nothing is buffered behind a descriptor
	}
}

// magic is the path by which the kernel finds the descriptor's file again,
// without walking one. Some calls do not take a descriptor that only names.
func (d *desc) magic() string { return "/proc/self/fd/" + strconv.Itoa(d.n) }

// reopen opens the descriptor's file anew, for other uses.
func (d *desc) reopen(flags int) (*desc, error) {
	n, err := opened(func() (int, error) { return unix.Open(d.magic(), flags|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	return newDesc(n, flags), nil
}

// force is reopen for a file whose owner, not root, has made it unreadable or
// read-only after a process opened it: the process goes on as it did, and so do
// we.
func (d *desc) force(flags int) (*desc, error) {
	again, err := d.reopen(flags)
	if !errors.Is(err, unix.EACCES) {
		return again, err
	}
	st, statErr := d.stat()
	if statErr != nil || d.chmod(uint32(st.Mode)&0o7777|0o600) != nil {
		return nil, err
	}
	again, err = d.reopen(flags)
	return again, errors.Join(err, d.chmod(uint32(st.Mode)&0o7777))
}

func (d *desc) stat() (*unix.Statx_t, error) {
	var st unix.Statx_t
	err := unix.Statx(d.n, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
	return &st, err
}

func (d *desc) chmod(mode uint32) error { return unix.Chmod(d.magic(), mode) }

// chown gives the file to its owner. Only root can, and only root
// creates for others.
func (d *desc) chown(o owner) error {
	err := unix.Fchownat(d.n, "", int(o.uid), int(o.gid), unix.AT_EMPTY_PATH)
	if errors.Is(err, unix.EPERM) && os.Geteuid() != 0 {
		return nil
	}
	return err
}

// setAttr does what a SETATTR asks, except for the size.
func (d *desc) setAttr(in *fuse.SetAttrIn) error {
	uid, hasUID := in.GetUID()
	gid, hasGID := in.GetGID()
	if hasUID || hasGID {
		// What is not asked for is 2^32-1, which chown takes for unchanged.
		if err := unix.Fchownat(d.n, "", int(int32(uid)), int(int32(gid)), unix.AT_EMPTY_PATH); err != nil {
			return err
		}
	}
	if mode, ok := in.GetMode(); ok {
		if err := d.chmod(mode); err != nil {
			return err
		}
	}
	return d.setTimes(in)
}

func (d *desc) setTimes(in *fuse.SetAttrIn) error {
	omit := unix.Timespec{Nsec: unix.UTIME_OMIT}
	ts := []unix.Timespec{omit, omit}
	if t, ok := in.GetATime(); ok {
		ts[0] = unix.NsecToTimespec(t.UnixNano())
	}
	if t, ok := in.GetMTime(); ok {
		ts[1] = unix.NsecToTimespec(t.UnixNano())
	}
	if ts[0] == omit && ts[1] == omit {
		return nil
	}
	return unix.UtimesNanoAt(d.n, "", ts, unix.AT_EMPTY_PATH)
}

// readAt reads until p is full or the file ends.
func (d *desc) readAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := eintr(func() (int, error) { return unix.Pread(d.n, p[done:], off+int64(done)) })
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

// writeAt writes all of p, or says how much of it.
func (d *desc) writeAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := eintr(func() (int, error) { return unix.Pwrite(d.n, p[done:], off+int64(done)) })
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

func (d *desc) sync() error { return unix.Fsync(d.n) }

func eintr[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if !errors.Is(err, unix.EINTR) {
			return v, err
		}
	}
}
