package place

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// Dir is where a directory of the mount lies. All of it is guarded by Tree, but for Top
// and Node, which never change.
type Dir struct {
	Loc   Location            // the root has none
	Top   *realfs.Dir         // the backing directory that it is, nil if it lies in one
	Ctime realfs.FlushedCtime // of the last file that was flushed into it
	Node  any                 // the user's node that it is of
}

// Named returns a name in the directory.
func (d *Dir) Named(name string) Dentry { return Dentry{d, name} }

// Dentry is a name in a directory of the mount.
type Dentry struct {
	Dir  *Dir
	Name string
}

// Location is where a node lies in the mount: its names, as far as they are known. A
// directory has one. The other nodes may have hard links: those that were made or
// looked up in this mount are known, maxNames at most. A node that has no known
// name is reached by a descriptor instead. The zero location is that of a node without
// a name. All of it is guarded by Tree.
type Location struct {
	Dentry              // the name that was looked up last; without a directory there is none
	others []Dentry     // the other known names, the last one first
	file   realfs.ID    // what the names lead to, where there are several
	desc   *realfs.Desc // O_PATH; how what is no regular file goes on without a name
	Orphan string       // its name in the moving directory, "" for none (see orphan.go)
}

// maxNames is how many names of a node are known, at most. Names beyond that are
// forgotten, which costs a descriptor once the known ones are removed.
const maxNames = 32

// IsNamed reports whether the node has a known name.
func (s *Location) IsNamed() bool { return s.Dir != nil }

// Is reports whether a name is the one that was looked up last.
func (s *Location) Is(dir *Dir, name string) bool { return s.Dentry == Dentry{dir, name} }

// has reports whether a name is known to be the node's.
func (s *Location) has(p Dentry) bool {
	return s.IsNamed() && (s.Dentry == p || slices.Contains(s.others, p))
}

// Add notes one more name of the node, or that it was looked up again.
func (s *Location) Add(p Dentry) {
	if s.Dentry == p {
		return
	}
	s.Drop(p)
	if s.IsNamed() {
		s.others = slices.Insert(s.others, 0, s.Dentry)
		s.others = s.others[:min(len(s.others), maxNames-1)]
	}
	s.Dentry = p
}

// Drop notes that a name is not the node's any more.
func (s *Location) Drop(p Dentry) {
	if s.Dentry != p {
		s.others = slices.DeleteFunc(s.others, func(o Dentry) bool { return o == p })
		return
	}
	s.Dentry = Dentry{}
	if len(s.others) > 0 {
		s.Dentry = s.others[0]
		s.others = slices.Delete(s.others, 0, 1)
	}
}

// Clear notes that the node has no name.
func (s *Location) Clear() { s.Dentry, s.others = Dentry{}, nil }

// Names returns the known names.
func (s *Location) Names() []Dentry {
	if !s.IsNamed() {
		return nil
	}
	return append([]Dentry{s.Dentry}, s.others...)
}

// path returns the way to a name from the backing directory that it is in.
func (p Dentry) path() (in *realfs.Dir, path string, err error) {
	var names []string
	for at := p; ; at = at.Dir.Loc.Dentry {
		if at.Dir == nil {
			return nil, "", unix.ENOENT
		}
		names = append(names, at.Name)
		if in = at.Dir.Top; in != nil {
			break
		}
	}
	slices.Reverse(names)
	return in, strings.Join(names, "/"), nil
}

func (p Dentry) open(flags int) (*realfs.Desc, error) {
	in, path, err := p.path()
	if err != nil {
		return nil, err
	}
	return in.Open(path, flags)
}

// InLocked returns the backing directory that a directory is in, nil if it has no
// name. The caller has Tree's lock.
func (d *Dir) InLocked() *realfs.Dir {
	for ; d != nil; d = d.Loc.Dir {
		if d.Top != nil {
			return d.Top
		}
	}
	return nil
}

// otherThan returns a known name beside p that leads to the node. Beneath the mount
// names may change without a notice.
func (s *Location) otherThan(p Dentry) (other Dentry, ok bool) {
	for _, other := range s.Names() {
		if other != p && other.leadsTo(s.file) {
			return other, true
		}
	}
	return Dentry{}, false
}

// leadsTo reports whether a name is that of a file.
func (p Dentry) leadsTo(id realfs.ID) bool {
	d, err := p.open(unix.O_PATH)
	if err != nil {
		return false
	}
	defer d.Close()
	st, err := d.Stat()
	return err == nil && realfs.IDOf(st) == id
}

// NoteName notes a name of a node, which leads to the file with these attributes. A
// node that had no name and is no regular file is reached by it from now on. The
// caller has Tree's lock for writing.
func (s *Location) NoteName(p Dentry, st *unix.Statx_t) {
	s.Add(p)
	s.file = realfs.IDOf(st)
	s.desc.Close()
	s.desc = nil
}
