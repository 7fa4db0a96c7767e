package fsnode

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// A file that has lost its last name while a process has it open goes on by a
// descriptor of ours. Where those are scarce it becomes an orphan: it gets a link in the
// moving directory, which the mount does not show and does not count, until the
// kernel forgets the file. A crash leaves a copy there, which the next mount removes.

// linkOrphanLocked gives what is about to lose its name a link in the moving directory. The
// caller has locked the node.
func (t *tree) linkOrphanLocked(n node, x *found) error {
	t.Lock()
	defer t.Unlock()
	name := t.scratch.movingFile(copyPrefix)
	if err := unix.Linkat(unix.AT_FDCWD, x.at.magic(), t.scratch.moving.n, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return unix.EMFILE // it is on another filesystem
	}
	n.location().orphan = name
	return nil
}

// unlinkOrphan removes a node's link in the moving directory, if it has one.
func (t *tree) unlinkOrphan(n node) {
	t.Lock()
	defer t.Unlock()
	t.unlinkOrphanLocked(n)
}

func (t *tree) unlinkOrphanLocked(n node) {
	if s := n.location(); s.orphan != "" {
		t.scratch.clear(s.orphan)
		s.orphan = ""
	}
}

// isOrphanLocked reports whether an open file of a node has no link but as an orphan.
// The caller has the lock.
func (t *tree) isOrphanLocked(n node, d *desc) bool {
	if n.location().orphan == "" {
		return false
	}
	st, err := d.stat()
	return err == nil && st.Nlink <= 1
}

// hideOrphanLink takes a node's link in the moving directory off its attributes.
func (t *tree) hideOrphanLink(n node, out *fuse.Attr) {
	t.RLock()
	defer t.RUnlock()
	if n.location().orphan != "" && out.Nlink > 0 {
		out.Nlink--
	}
}
