package fsnode

import (
	"fmt"
	"strings"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// backingDir is a directory of the backing filesystem, with all below it, by
// descriptor: scratch, or in the cover shape what lies beneath the mount.
type backingDir struct {
	root   *desc // O_PATH
	mounts bool  // mounts below it are entered
}

func openBackingDir(path string, mounts bool) (*backingDir, error) {
	n, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open directory %s: %w", path, err)
	}
	return &backingDir{newDesc(n, unix.O_PATH), mounts}, nil
}

// maxWalk is the longest path that the kernel walks in one call.
const maxWalk = unix.PathMax - 1

// open opens a path below the directory.
func (b *backingDir) open(path string, flags int) (*desc, error) {
	at := b.root
	for len(path) > maxWalk {
		i := strings.LastIndexByte(path[:maxWalk], '/')
		next, err := openBeneath(at, path[:i], unix.O_PATH|unix.O_DIRECTORY, b.mounts)
		if at != b.root {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at, path = next, path[i+1:]
	}
	if at != b.root {
		defer at.close()
	}
	return openBeneath(at, path, flags, b.mounts)
}

// openBeneath opens a path below a directory and nowhere else: no symlink is
// followed, and no mount entered unless mounts says so.
func openBeneath(at *desc, path string, flags int, mounts bool) (*desc, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_NOFOLLOW | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	}
	if !mounts {
		how.Resolve |= unix.RESOLVE_NO_XDEV
	}
	n, err := opened(func() (int, error) { return unix.Openat2(at.n, path, &how) })
	if err != nil {
		return nil, err
	}
	return newDesc(n, flags), nil
}

// create makes a regular file that must not exist, readable and writable by
// its owner until its mode is set.
func create(dir *desc, name string) (*desc, error) {
	n, err := opened(func() (int, error) {
		return unix.Openat(dir.n, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return nil, err
	}
	return newDesc(n, unix.O_RDWR), nil
}

// list returns the names in a directory, without "." and "..".
func (d *desc) list() ([]fuse.DirEntry, error) {
	open, err := d.openList()
	if err != nil {
		return nil, err
	}
	defer open.close()
	var out []fuse.DirEntry
	buf := make([]byte, 32<<10)
	for {
		n, err := eintr(func() (int, error) { return unix.Getdents(open.n, buf) })
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

// openList opens a directory to read it.
func (d *desc) openList() (*desc, error) {
	return openBeneath(d, ".", unix.O_RDONLY|unix.O_DIRECTORY, false)
}

// syncDir makes the names in a directory durable.
func syncDir(dir *desc) error {
	d, err := dir.openList()
	if err != nil {
		return err
	}
	defer d.close()
	return d.sync()
}
