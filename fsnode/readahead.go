package fsnode

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/layout"
)

// What the kernel needs, in bytes, for a name that it knows, about, and for
// contents, which take whole pages.
const (
	nameCost = 1 << 10
	pageSize = 4 << 10
)

// readers is how many files are read at a time. Each read is a round trip to
// the daemon; more than a few at a time only wait for each other.
const readers = 4

// ReadAhead reads entities' files in dir and its shards, in the directory's
// order, until what the kernel then knows takes limit bytes of memory, and
// returns how many it read. It is for the process that Warm.Reader starts.
func ReadAhead(dir string, limit int64) (files int, err error) {
	r := reading{left: limit}
	err = r.dir(dir)
	switch {
	case errors.Is(err, unix.ENOTCONN), errors.Is(err, unix.ECONNABORTED), errors.Is(err, unix.ENODEV), errors.Is(err, fs.ErrNotExist):
		err = nil // it was unmounted meanwhile
	}
	return r.files, err
}

type reading struct {
	left  int64
	files int
}

// dir reads what is in a directory, then what is in its shards.
func (r *reading) dir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	names, shards, err := r.list(int(d.Fd()))
	if err != nil {
		return err
	}
	r.read(int(d.Fd()), names)
	for _, name := range shards {
		if r.left <= 0 {
			break
		}
		if err := r.dir(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// listBuffer is large, since the kernel asks for as many names at a time as the
// reader has room for.
const listBuffer = 128 << 10

// list returns the names of entities that there is room for, and of shards.
func (r *reading) list(dir int) (names, shards []string, err error) {
	buf := make([]byte, listBuffer)
	for r.left > 0 {
		size, err := eintr(func() (int, error) { return unix.Getdents(dir, buf) })
		if err != nil || size <= 0 {
			return names, shards, err
		}
		for todo := buf[:size]; len(todo) > 0; {
			var e fuse.DirEntry
			todo = todo[e.Parse(todo):]
			switch _, isEntity := layout.ParseFileName(e.Name); {
			case isEntity && r.look(dir, e.Name):
				names = append(names, e.Name)
			case e.Mode == unix.S_IFDIR && isShard(e.Name):
				shards = append(shards, e.Name)
			}
		}
	}
	return names, shards, nil
}

// look asks for a file's attributes, and tells whether there is room for it.
// Of most the kernel knows them by then: being asked for them after a listing,
// it goes on to ask for both at once.
func (r *reading) look(dir int, name string) bool {
	var st unix.Stat_t
	if r.left <= 0 || unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	r.left -= nameCost + (st.Size+pageSize-1)/pageSize*pageSize
	return true
}

// read reads files, and asks for their attributes again, since reading them has
// changed the time of that.
func (r *reading) read(dir int, names []string) {
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			buf := make([]byte, 128<<10)
			for ; i < len(names); i += readers {
				readFile(dir, names[i], buf)
			}
		})
	}
	group.Wait()
	r.files += len(names)
}

// readFile reads a file. That it cannot be read is for whoever needs it.
func readFile(dir int, name string, buf []byte) {
	f, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(f)
	for {
		n, err := eintr(func() (int, error) { return unix.Read(f, buf) })
		if err != nil || n < len(buf) {
			break
		}
	}
	_ = unix.Fstat(f, new(unix.Stat_t))
}

// isShard tells whether a directory's name is that of a shard.
func isShard(name string) bool {
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(name) <= 3
}
