package fsnode

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// readOnlyBacking is a file that can be read but not changed: the mount's own
// state, shown in the cover shape.
type readOnlyBacking struct{ *scratchBacking }

func newReadOnlyFile(f *fsys) *File {
	n := allocFile(f)
	n.setBackingLocked(readOnlyBacking{newScratchBacking(n)})
	return n
}

func (readOnlyBacking) setAttr(*fuse.SetAttrIn) error         { return unix.EPERM }
func (readOnlyBacking) writeAt([]byte, int64) (int, error)    { return 0, unix.EPERM }
func (readOnlyBacking) allocate(uint64, uint64, uint32) error { return unix.EPERM }
func (readOnlyBacking) setXattr(string, []byte, uint32) error { return unix.EPERM }
func (readOnlyBacking) removeXattr(string) error              { return unix.EPERM }
