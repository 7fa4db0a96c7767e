package fsnode

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/support/lockorder"
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
	f.fsys.directs.add(h)
	return h, nil
}

// PassthroughFd implements fs.FilePassthroughFder.
func (h *direct) PassthroughFd() (int, bool) { return h.d.FD, true }

// Release implements fs.FileReleaser.
func (h *direct) Release(context.Context) syscall.Errno {
	h.fsys.directs.close(h)
	return 0
}

// directs is the files that are open so.
type directs struct {
	mu   lockorder.Mutex
	open map[*direct]bool // guarded by mu
}

func (d *directs) add(h *direct) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = make(map[*direct]bool)
	}
	d.open[h] = true
}

// close closes a file, unless closeAll has.
func (d *directs) close(h *direct) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[h] {
		delete(d.open, h)
		h.d.Close()
	}
}

// closeAll closes what is left once the mount is gone: the kernel drops a RELEASE that
// was on its way.
func (d *directs) closeAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for h := range d.open {
		h.d.Close()
	}
	clear(d.open)
}
