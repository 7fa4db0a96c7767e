package fsnode

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// scratchBacking is a regular file in scratch or beneath the mount. Its File's mu guards
// the handle.
type scratchBacking struct {
	file *File
	place.Handle
	ctime realfs.FlushedCtime
}

// newScratchBacking returns what stands behind a file that lies at its location.
func newScratchBacking(n *File) *scratchBacking {
	return &scratchBacking{file: n, Handle: n.fsys.tree.NewHandle(n.location())}
}

// holdDescLocked implements descHolder.
func (b *scratchBacking) holdDescLocked(d *realfs.Desc) { b.Handle.HoldLocked(d) }

// releaseDescLocked implements descHolder.
func (b *scratchBacking) releaseDescLocked() { b.Handle.ReleaseLocked() }

// closeDescsLocked implements descHolder.
func (b *scratchBacking) closeDescsLocked() { b.Handle.CloseLocked() }

func (b *scratchBacking) attr(out *fuse.Attr) error {
	err := b.Use(unix.O_PATH, func(d *realfs.Desc) error { return statInto(d, b.file.StableAttr().Ino, out) })
	b.file.fsys.hideOrphanLink(b.file.location(), out)
	ctime := b.ctime.Show(out.ChangeTime())
	out.SetTimes(nil, nil, &ctime)
	return err
}

func (b *scratchBacking) setAttr(in *fuse.SetAttrIn) error {
	// The size comes first: times that are asked for stay as asked.
	if size, ok := in.GetSize(); ok {
		err := b.Use(unix.O_WRONLY, func(d *realfs.Desc) error { return unix.Ftruncate(d.FD, int64(size)) })
		if err != nil {
			return err
		}
	}
	return b.Use(unix.O_PATH, func(d *realfs.Desc) error { return d.SetAttr(diskChange(in)) })
}

func (b *scratchBacking) readAt(p []byte, off int64) (n int, err error) {
	err = b.Use(unix.O_RDONLY, func(d *realfs.Desc) (err error) {
		n, err = d.ReadAt(p, off)
		return err
	})
	return n, err
}

func (b *scratchBacking) writeAt(p []byte, off int64) (n int, err error) {
	err = b.Use(unix.O_WRONLY, func(d *realfs.Desc) (err error) {
		n, err = d.WriteAt(p, off)
		return err
	})
	return n, err
}

func (b *scratchBacking) sync() error { return b.Use(unix.O_RDONLY, (*realfs.Desc).Sync) }

func (b *scratchBacking) allocate(off, size uint64, mode uint32) error {
	return b.Use(unix.O_WRONLY, func(d *realfs.Desc) error {
		return unix.Fallocate(d.FD, mode, int64(off), int64(size))
	})
}

func (b *scratchBacking) getXattr(name string, dest []byte) (n uint32, err error) {
	err = b.Use(unix.O_PATH, func(d *realfs.Desc) (err error) {
		n, err = d.GetXattr(name, dest)
		return err
	})
	return n, err
}

func (b *scratchBacking) setXattr(name string, data []byte, flags uint32) error {
	return b.Use(unix.O_PATH, func(d *realfs.Desc) error { return d.SetXattr(name, data, flags) })
}

func (b *scratchBacking) removeXattr(name string) error {
	return b.Use(unix.O_PATH, func(d *realfs.Desc) error { return d.RemoveXattr(name) })
}

func (b *scratchBacking) listXattr(dest []byte) (n uint32, err error) {
	err = b.Use(unix.O_PATH, func(d *realfs.Desc) (err error) {
		n, err = d.ListXattr(dest)
		return err
	})
	return n, err
}
