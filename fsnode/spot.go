package fsnode

import (
	"slices"
	"strings"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// spot is where a node lies in the mount: its directory and its name there. A
// file with several names has the one that was looked up last. The zero spot
// is that of a node without a name. All of it is guarded by fsys.tree.
type spot struct {
	dir  *Dir
	name string
	kept *desc // O_PATH; how a directory or special file goes on without a name
}

func (s *spot) is(dir *Dir, name string) bool { return s.dir == dir && s.name == name }

// move says that the node lies elsewhere, without a directory nowhere.
func (s *spot) move(dir *Dir, name string) { s.dir, s.name = dir, name }

// path returns the way to the spot from the backing directory that it is in.
func (s *spot) path() (in *backingDir, path string, err error) {
	var names []string
	for at := s; ; at = &at.dir.spot {
		if at.dir == nil {
			return nil, "", unix.ENOENT
		}
		names = append(names, at.name)
		if in = at.dir.top; in != nil {
			break
		}
	}
	slices.Reverse(names)
	return in, strings.Join(names, "/"), nil
}

// in returns the backing directory that a directory is in, nil if it has no
// name. The caller has tree.
func (d *Dir) in() *backingDir {
	for ; d != nil; d = d.spot.dir {
		if d.top != nil {
			return d.top
		}
	}
	return nil
}

// openSpot opens what lies at a spot. The caller has tree.
func (f *fsys) openSpot(s *spot, flags int) (*desc, error) {
	if s.kept != nil {
		if flags&unix.O_PATH != 0 {
			return dup(s.kept)
		}
		return s.kept.reopen(flags)
	}
	in, path, err := s.path()
	if err != nil {
		return nil, err
	}
	return in.open(path, flags)
}

func dup(d *desc) (*desc, error) {
	n, err := unix.FcntlInt(uintptr(d.n), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &desc{n: n, names: d.names, writable: d.writable}, nil
}

// openDir opens a directory to do something to a name in it. The caller has
// tree.
func (f *fsys) openDir(d *Dir) (*desc, error) {
	if d.top != nil {
		return dup(d.top.root)
	}
	return f.openSpot(&d.spot, unix.O_PATH|unix.O_DIRECTORY)
}

// use opens what lies at a spot for as long as do needs it.
func (f *fsys) use(s *spot, flags int, do func(*desc) error) error {
	f.tree.RLock()
	d, err := f.openSpot(s, flags)
	f.tree.RUnlock()
	if err != nil {
		return err
	}
	defer d.close()
	return do(d)
}

// useDir opens a directory for as long as do needs it.
func (f *fsys) useDir(dir *Dir, do func(*desc) error) error {
	if dir.top != nil {
		return do(dir.top.root)
	}
	f.tree.RLock()
	d, err := f.openDir(dir)
	f.tree.RUnlock()
	if err != nil {
		return err
	}
	defer d.close()
	return do(d)
}

// list returns the names in a directory beneath the mount, without "." and "..".
func (f *fsys) list(dir *Dir) (names []fuse.DirEntry, err error) {
	err = f.useDir(dir, func(at *desc) (err error) {
		names, err = at.list()
		return err
	})
	return names, err
}
