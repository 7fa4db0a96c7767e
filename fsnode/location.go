package fsnode

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// dentry is a name in a directory of the mount.
type dentry struct {
	dir  *Dir
	name string
}

// location is where a node lies in the mount: its names, as far as they are known. A
// directory has one. The other nodes may have hard links: those that were made or
// looked up in this mount are known, maxNames at most. A node that has no known
// name is reached by a descriptor instead. The zero location is that of a node without
// a name. All of it is guarded by tree.
type location struct {
	dentry           // the name that was looked up last; without a directory there is none
	others []dentry  // the other known names, the last one first
	file   backingID // what the names lead to, where there are several
	desc   *desc     // O_PATH; how what is no regular file goes on without a name
	orphan string    // its name in the moving directory, "" for none (see orphan.go)
}

// maxNames is how many names of a node are known, at most. Names beyond that are
// forgotten, which costs a descriptor once the known ones are removed.
const maxNames = 32

// named reports whether the node has a known name.
func (s *location) named() bool { return s.dir != nil }

func (s *location) is(dir *Dir, name string) bool { return s.dentry == dentry{dir, name} }

// has reports whether a name is known to be the node's.
func (s *location) has(p dentry) bool {
	return s.named() && (s.dentry == p || slices.Contains(s.others, p))
}

// add notes one more name of the node, or that it was looked up again.
func (s *location) add(p dentry) {
	if s.dentry == p {
		return
	}
	s.drop(p)
	if s.named() {
		s.others = slices.Insert(s.others, 0, s.dentry)
		s.others = s.others[:min(len(s.others), maxNames-1)]
	}
	s.dentry = p
}

// drop notes that a name is not the node's any more.
func (s *location) drop(p dentry) {
	if s.dentry != p {
		s.others = slices.DeleteFunc(s.others, func(o dentry) bool { return o == p })
		return
	}
	s.dentry = dentry{}
	if len(s.others) > 0 {
		s.dentry = s.others[0]
		s.others = slices.Delete(s.others, 0, 1)
	}
}

// clear notes that the node has no name.
func (s *location) clear() { s.dentry, s.others = dentry{}, nil }

// names returns the known names.
func (s *location) names() []dentry {
	if !s.named() {
		return nil
	}
	return append([]dentry{s.dentry}, s.others...)
}

// path returns the way to a name from the backing directory that it is in.
func (p dentry) path() (in *backingDir, path string, err error) {
	var names []string
	for at := p; ; at = at.dir.loc.dentry {
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

func (p dentry) open(flags int) (*desc, error) {
	in, path, err := p.path()
	if err != nil {
		return nil, err
	}
	return in.open(path, flags)
}

// inLocked returns the backing directory that a directory is in, nil if it has no
// name. The caller has tree.
func (d *Dir) inLocked() *backingDir {
	for ; d != nil; d = d.loc.dir {
		if d.top != nil {
			return d.top
		}
	}
	return nil
}

// otherThan returns a known name beside p that leads to the node. Beneath the mount
// names may change without a notice.
func (s *location) otherThan(p dentry) (other dentry, ok bool) {
	for _, other := range s.names() {
		if other != p && other.leadsTo(s.file) {
			return other, true
		}
	}
	return dentry{}, false
}

// leadsTo reports whether a name is that of a file.
func (p dentry) leadsTo(id backingID) bool {
	d, err := p.open(unix.O_PATH)
	if err != nil {
		return false
	}
	defer d.close()
	st, err := d.stat()
	return err == nil && idOf(st) == id
}

// noteName notes a name of a node, which leads to the file with these attributes. A
// node that had no name and is no regular file is reached by it from now on. The
// caller has tree for writing.
func (s *location) noteName(p dentry, st *unix.Statx_t) {
	s.add(p)
	s.file = idOf(st)
	s.desc.close()
	s.desc = nil
}

func dup(d *desc) (*desc, error) {
	n, err := opened(func() (int, error) { return unix.FcntlInt(uintptr(d.n), unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	return &desc{n: n, names: d.names, writable: d.writable}, nil
}
