package fsnode

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

var (
	_ fs.FilePassthroughFder = (*direct)(nil)
	_ fs.FileReleaser        = (*direct)(nil)
)

// direct is an open file that the kernel reads and writes beneath the mount by
// itself, where it can and the daemon may (FUSE_PASSTHROUGH takes root). That
// pays for Subversion's database, of which an update writes 60 small pieces for
// every file.
//
// A file is opened either always so or never, from when the kernel knows it
// until it forgets it: the kernel refuses to mix. And because what is written so
// does not pass by here, such a file can never become an entity.
type direct struct {
	fsys *fsys
	d    *realfs.Desc
}

// openDirect opens a file for the kernel.
func (f *File) openDirect() (*direct, error) {
	h := &direct{fsys: f.fsys}
	errno := f.with(func(b backing.File) error {
		scratch, ok := b.(*backing.Real)
		if !ok {
			return unix.ESTALE
		}
		return scratch.Use(unix.O_RDONLY, func(d *realfs.Desc) (err error) {
			h.d, err = d.Dup()
			return err
		})
	})
	if errno != 0 {
		return nil, errno
	}
	f.fsys.handed.Add(h.d)
	return h, nil
}

// PassthroughFd implements fs.FilePassthroughFder.
func (h *direct) PassthroughFd() (int, bool) { return h.d.FD, true }

// Release implements fs.FileReleaser.
func (h *direct) Release(context.Context) syscall.Errno {
	h.fsys.handed.CloseOne(h.d)
	return 0
}
