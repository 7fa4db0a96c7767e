package place

import (
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// A file that has lost its last name while a process has it open goes on by a
// descriptor of ours. Where those are scarce it becomes an orphan: it gets a link in the
// moving directory, which the mount does not show and does not count, until the
// kernel forgets the file. A crash leaves a copy there, which the next mount removes.

// LinkOrphan gives what is about to lose its name a link in the moving directory. The
// caller has locked the node against its user's other operations, and has opened it.
func (t *Tree) LinkOrphan(s *Location, at *realfs.Desc) error {
	t.Lock()
	defer t.Unlock()
	name := t.scratch.NewCopy()
	if err := unix.Linkat(unix.AT_FDCWD, at.Magic(), t.scratch.Moving.FD, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return unix.EMFILE // it is on another filesystem
	}
	s.Orphan = name
	return nil
}

// UnlinkOrphan removes a node's link in the moving directory, if it has one.
func (t *Tree) UnlinkOrphan(s *Location) {
	t.Lock()
	defer t.Unlock()
	t.UnlinkOrphanLocked(s)
}

// UnlinkOrphanLocked does what UnlinkOrphan does. The caller has the lock for writing.
func (t *Tree) UnlinkOrphanLocked(s *Location) {
	if s.Orphan != "" {
		t.scratch.Clear(s.Orphan)
		s.Orphan = ""
	}
}

// IsOrphanLocked reports whether an open file of a node has no link but as an orphan.
// The caller has the lock.
func (t *Tree) IsOrphanLocked(s *Location, d *realfs.Desc) bool {
	if s.Orphan == "" {
		return false
	}
	st, err := d.Stat()
	return err == nil && st.Nlink <= 1
}

// IsOrphan reports whether a node has a link in the moving directory, which is not
// shown.
func (t *Tree) IsOrphan(s *Location) bool {
	t.RLock()
	defer t.RUnlock()
	return s.Orphan != ""
}
