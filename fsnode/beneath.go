package fsnode

import (
	"path/filepath"
	"strings"
)

// InvalidateBeneath has the kernel look up again what is at path, which is relative to
// the mount, and for depth levels of directories below: the daemon wrote there
// by itself, beneath the mount. The caller holds no lock that a request may
// wait for.
func (m *Mounted) InvalidateBeneath(path string, depth int) error {
	dir := m.fsys.root
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if dir = m.fsys.notices.invalidateName(dir, name); dir == nil {
			return nil
		}
	}
	return m.fsys.notices.invalidateBelow(dir, depth)
}

// invalidateName has the kernel look a name in a directory up again. If it knows a directory
// of that name, the name stays, since a process may stand there, and the directory is
// returned.
func (n *notices) invalidateName(dir *Dir, name string) *Dir {
	child := dir.GetChild(name)
	if child != nil {
		if d, ok := child.Operations().(*Dir); ok {
			return d
		}
		n.check(child.NotifyContent(0, 0))
	}
	n.entry(dir, name)
	return nil
}

func (n *notices) invalidateBelow(dir *Dir, depth int) error {
	if depth == 0 || n.fsys.policy.own(dir) {
		return nil
	}
	names, err := n.fsys.tree.List(&dir.place)
	if err != nil {
		return err
	}
	n.check(dir.NotifyContent(0, 0))
	for _, e := range names {
		if d := n.invalidateName(dir, e.Name); d != nil {
			if err := n.invalidateBelow(d, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}
