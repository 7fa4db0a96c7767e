package realfs

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Dir is a directory of the backing filesystem, with all below it, by
// descriptor: scratch, or in the cover shape what lies beneath the mount.
type Dir struct {
	Root   *Desc // O_PATH
	mounts bool  // mounts below it are entered
}

// OpenDir opens a directory.
func OpenDir(path string, mounts bool) (*Dir, error) {
	n, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open directory %s: %w", path, err)
	}
	return &Dir{newDesc(n, unix.O_PATH), mounts}, nil
}

// Close closes the directory.
func (b *Dir) Close() { b.Root.Close() }

// maxWalk is the longest path that the kernel walks in one call.
const maxWalk = unix.PathMax - 1

// Open opens a path below the directory.
func (b *Dir) Open(path string, flags int) (*Desc, error) {
	at := b.Root
	for len(path) > maxWalk {
		i := strings.LastIndexByte(path[:maxWalk], '/')
		next, err := OpenBeneath(at, path[:i], unix.O_PATH|unix.O_DIRECTORY, b.mounts)
		if at != b.Root {
			at.Close()
		}
		if err != nil {
			return nil, err
		}
		at, path = next, path[i+1:]
	}
	if at != b.Root {
		defer at.Close()
	}
	return OpenBeneath(at, path, flags, b.mounts)
}

// OpenBeneath opens a path below a directory and nowhere else: no symlink is
// followed, and no mount entered unless mounts says so.
func OpenBeneath(at *Desc, path string, flags int, mounts bool) (*Desc, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_NOFOLLOW | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	}
	if !mounts {
		how.Resolve |= unix.RESOLVE_NO_XDEV
	}
	n, err := opened(func() (int, error) { return unix.Openat2(at.FD, path, &how) })
	if err != nil {
		return nil, err
	}
	return newDesc(n, flags), nil
}

// Create makes a regular file that must not exist, readable and writable by
// its owner until its mode is set.
func Create(dir *Desc, name string) (*Desc, error) {
	n, err := opened(func() (int, error) {
		return unix.Openat(dir.FD, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return nil, err
	}
	return newDesc(n, unix.O_RDWR), nil
}

// Entry is a name in a directory.
type Entry struct {
	Name string
	Mode uint32 // of what kind it is: S_IFREG and so on
}

// List returns the names in a directory, without "." and "..".
func (d *Desc) List() ([]Entry, error) {
	open, err := d.openList()
	if err != nil {
		return nil, err
	}
	defer open.Close()
	var out []Entry
	buf := make([]byte, 32<<10)
	for {
		n, err := eintr(func() (int, error) { return unix.Getdents(open.FD, buf) })
		if err != nil || n <= 0 {
			return out, err
		}
		for todo := buf[:n]; len(todo) > 0; {
			var e Entry
			if e, todo = parseEntry(todo); e.Name != "." && e.Name != ".." {
				out = append(out, e)
			}
		}
	}
}

// parseEntry takes apart the first of what getdents64(2) returns.
func parseEntry(b []byte) (e Entry, rest []byte) {
	first := (*unix.Dirent)(unsafe.Pointer(unsafe.SliceData(b)))
	text := b[unsafe.Offsetof(first.Name):first.Reclen]
	name, _, _ := bytes.Cut(text, []byte{0})
	return Entry{Name: string(name), Mode: uint32(first.Type) << 12}, b[first.Reclen:]
}

// openList opens a directory to read it.
func (d *Desc) openList() (*Desc, error) {
	return OpenBeneath(d, ".", unix.O_RDONLY|unix.O_DIRECTORY, false)
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir *Desc) error {
	d, err := dir.openList()
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
