package backing

import (
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// Real is a regular file in scratch or beneath the mount. Without a name it
// has a descriptor of its own.
type Real struct {
	place.Handle
	Ctime realfs.FlushedCtime
}

// NewReal returns what stands behind a file that lies at a location.
func NewReal(t *place.Tree, at *place.Location) *Real {
	return &Real{Handle: t.NewHandle(at)}
}

// HoldDescLocked implements Holder.
func (b *Real) HoldDescLocked(d *realfs.Desc) { b.Handle.HoldLocked(d) }

// ReleaseDescLocked implements Holder.
func (b *Real) ReleaseDescLocked() { b.Handle.ReleaseLocked() }

// CloseDescsLocked implements Holder.
func (b *Real) CloseDescsLocked() { b.Handle.CloseLocked() }

// Attr implements File.
func (b *Real) Attr() (a Attr, err error) {
	err = b.Use(unix.O_PATH, func(d *realfs.Desc) error {
		st, err := d.Stat()
		if err == nil {
			a = RealAttr(st)
		}
		return err
	})
	if b.IsOrphan() && a.Nlink > 0 {
		a.Nlink--
	}
	a.Ctime = b.Ctime.Show(a.Ctime)
	return a, err
}

// SetAttr implements File.
func (b *Real) SetAttr(c cache.AttrChange) error {
	// The size comes first: times that are asked for stay as asked.
	if c.Size != nil {
		err := b.Use(unix.O_WRONLY, func(d *realfs.Desc) error { return unix.Ftruncate(d.FD, *c.Size) })
		if err != nil {
			return err
		}
	}
	return b.Use(unix.O_PATH, func(d *realfs.Desc) error {
		return d.SetAttr(realfs.Change{Mode: c.Mode, UID: c.UID, GID: c.GID, Mtime: c.Mtime, Atime: c.Atime})
	})
}

// ReadAt implements File.
func (b *Real) ReadAt(p []byte, off int64) (n int, err error) {
	err = b.Use(unix.O_RDONLY, func(d *realfs.Desc) (err error) {
		n, err = d.ReadAt(p, off)
		return err
	})
	return n, err
}

// WriteAt implements File.
func (b *Real) WriteAt(p []byte, off int64) (n int, err error) {
	err = b.Use(unix.O_WRONLY, func(d *realfs.Desc) (err error) {
		n, err = d.WriteAt(p, off)
		return err
	})
	return n, err
}

// Sync implements File.
func (b *Real) Sync() error { return b.Use(unix.O_RDONLY, (*realfs.Desc).Sync) }

// Allocate implements File.
func (b *Real) Allocate(off, size uint64, mode uint32) error {
	return b.Use(unix.O_WRONLY, func(d *realfs.Desc) error {
		return unix.Fallocate(d.FD, mode, int64(off), int64(size))
	})
}

// GetXattr implements File.
func (b *Real) GetXattr(name string, dest []byte) (n uint32, err error) {
	err = b.Use(unix.O_PATH, func(d *realfs.Desc) (err error) {
		n, err = d.GetXattr(name, dest)
		return err
	})
	return n, err
}

// SetXattr implements File.
func (b *Real) SetXattr(name string, data []byte, flags uint32) error {
	return b.Use(unix.O_PATH, func(d *realfs.Desc) error { return d.SetXattr(name, data, flags) })
}

// RemoveXattr implements File.
func (b *Real) RemoveXattr(name string) error {
	return b.Use(unix.O_PATH, func(d *realfs.Desc) error { return d.RemoveXattr(name) })
}

// ListXattr implements File.
func (b *Real) ListXattr(dest []byte) (n uint32, err error) {
	err = b.Use(unix.O_PATH, func(d *realfs.Desc) (err error) {
		n, err = d.ListXattr(dest)
		return err
	})
	return n, err
}
