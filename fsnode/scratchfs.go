package fsnode

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// movingName is the directory inside scratch where a file is made ready before
// it is renamed into place. The mount does not show it.
const movingName = ".worldfs-moving"

// Files in it are named for what a crash makes of them: a copy stands for
// something that still exists elsewhere, an only one does not.
const (
	copyPrefix = "copy."
	onlyPrefix = "only."
	// recoveredPrefix names in the mount what was left as an only one.
	recoveredPrefix = "worldfs-recovered."
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

// serves tells whether the descriptor does for what flags would open.
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
	n, err := eintr(func() (int, error) { return unix.Open(d.magic(), flags|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	return newDesc(n, flags), nil
}

// force is reopen for a file that its owner, who is not root, has made
// unreadable or read-only after a process opened it: the process goes on as it
// did, and so do we.
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

// chown gives the file to its owner. Only root can, and nobody else is asked
// to create for others.
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

// scratchFS is the scratch directory by descriptor.
type scratchFS struct {
	root   *desc // O_PATH
	moving *desc // O_PATH
	serial atomic.Uint64
}

// openScratch opens the scratch directory and clears what a crash left in it.
func openScratch(path string) (*scratchFS, error) {
	n, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open scratch directory %s: %w", path, err)
	}
	s := &scratchFS{root: newDesc(n, unix.O_PATH)}
	if err := s.openMoving(); err != nil {
		s.close()
		return nil, fmt.Errorf("prepare scratch directory %s: %w", path, err)
	}
	return s, nil
}

func (s *scratchFS) openMoving() error {
	err := unix.Mkdirat(s.root.n, movingName, 0o700)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if s.moving, err = s.open(movingName, unix.O_PATH|unix.O_DIRECTORY); err != nil {
		return err
	}
	return s.recover()
}

// resemble gives the scratch directory the mode and owner of another one.
func (s *scratchFS) resemble(path string) error {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	if err == nil {
		err = s.root.chown(owner{st.Uid, st.Gid})
	}
	if err == nil {
		err = s.root.chmod(st.Mode & 0o7777)
	}
	if err != nil {
		return fmt.Errorf("give the scratch directory the mode of %s: %w", path, err)
	}
	return nil
}

// recover clears the moving directory of what a crash left: copies go, an only
// one gets a name in the mount.
func (s *scratchFS) recover() error {
	names, err := s.list(s.moving)
	if err != nil {
		return err
	}
	for _, e := range names {
		if rest, only := strings.CutPrefix(e.Name, onlyPrefix); only {
			err = s.surface(e.Name, recoveredPrefix+rest)
		} else {
			err = unix.Unlinkat(s.moving.n, e.Name, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// surface moves a file from the moving directory to a free name in the root.
func (s *scratchFS) surface(from, to string) error {
	for i := 0; ; i++ {
		name := to
		if i > 0 {
			name += "." + strconv.Itoa(i)
		}
		err := unix.Renameat2(s.moving.n, from, s.root.n, name, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}

func (s *scratchFS) close() {
	s.moving.close()
	s.root.close()
}

// maxWalk is the longest path that the kernel walks in one call.
const maxWalk = unix.PathMax - 1

// open opens a path below the scratch directory.
func (s *scratchFS) open(path string, flags int) (*desc, error) {
	at := s.root
	for len(path) > maxWalk {
		i := strings.LastIndexByte(path[:maxWalk], '/')
		next, err := openBeneath(at, path[:i], unix.O_PATH|unix.O_DIRECTORY)
		if at != s.root {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at, path = next, path[i+1:]
	}
	if at != s.root {
		defer at.close()
	}
	return openBeneath(at, path, flags)
}

// openBeneath opens a path below a directory and nowhere else: no symlink is
// followed, no mount entered.
func openBeneath(at *desc, path string, flags int) (*desc, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_NOFOLLOW | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	}
	n, err := eintr(func() (int, error) { return unix.Openat2(at.n, path, &how) })
	if err != nil {
		return nil, err
	}
	return newDesc(n, flags), nil
}

// create makes a regular file that must not exist, readable and writable by
// its owner until its mode is set.
func create(dir *desc, name string) (*desc, error) {
	n, err := eintr(func() (int, error) {
		return unix.Openat(dir.n, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return nil, err
	}
	return newDesc(n, unix.O_RDWR), nil
}

// list returns the names in a directory, without "." and "..".
func (s *scratchFS) list(dir *desc) ([]fuse.DirEntry, error) {
	d, err := openBeneath(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer d.close()
	var out []fuse.DirEntry
	buf := make([]byte, 32<<10)
	for {
		n, err := eintr(func() (int, error) { return unix.Getdents(d.n, buf) })
		if err != nil || n <= 0 {
			return out, err
		}
		for todo := buf[:n]; len(todo) > 0; {
			var e fuse.DirEntry
			todo = todo[e.Parse(todo):]
			if e.Name != "." && e.Name != ".." {
				out = append(out, e)
			}
		}
	}
}

// movingFile returns a new name for a file in the moving directory.
func (s *scratchFS) movingFile(prefix string) string {
	return prefix + strconv.FormatUint(s.serial.Add(1), 10)
}

// syncDir makes the names in a directory durable.
func syncDir(dir *desc) error {
	d, err := openBeneath(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer d.close()
	return d.sync()
}
