package fsnode

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// sealedBacking is a file that can be read but not changed: the mount's own
// state, shown in the cover shape.
type sealedBacking struct{ *scratchBacking }

func newSealedFile(f *fsys) *File {
	n := &File{fsys: f}
	n.stand(sealedBacking{&scratchBacking{file: n}})
	return n
}

func (sealedBacking) setAttr(*fuse.SetAttrIn) error         { return unix.EPERM }
func (sealedBacking) writeAt([]byte, int64) (int, error)    { return 0, unix.EPERM }
func (sealedBacking) allocate(uint64, uint64, uint32) error { return unix.EPERM }
func (sealedBacking) setXattr(string, []byte, uint32) error { return unix.EPERM }
func (sealedBacking) removeXattr(string) error              { return unix.EPERM }
