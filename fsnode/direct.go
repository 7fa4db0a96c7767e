package fsnode

import (
	"context"
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"
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
	d    *desc
}

// isDatabase reports whether a name is that of Subversion's database, or of its
// journal. The caller has tree.
func (f *fsys) isDatabase(dir *Dir, name string) bool {
	return f.cover != nil && f.caching.explicit && !dir.readOnly &&
		dir.loc.name == ".svn" && strings.HasPrefix(name, "wc.db") && dir.in() == f.cover.beneath
}

// openDirect opens a file for the kernel.
func (f *File) openDirect() (*direct, error) {
	h := &direct{fsys: f.fsys}
	errno := f.with(func(b backing) error {
		scratch, ok := b.(*scratchBacking)
		if !ok {
			return unix.ESTALE
		}
		return scratch.use(unix.O_RDONLY, func(d *desc) (err error) {
			h.d, err = dup(d)
			return err
		})
	})
	if errno != 0 {
		return nil, errno
	}
	f.fsys.table.Lock()
	defer f.fsys.table.Unlock()
	f.fsys.directs[h] = true
	return h, nil
}

// PassthroughFd implements fs.FilePassthroughFder.
func (h *direct) PassthroughFd() (int, bool) { return h.d.n, true }

// Release implements fs.FileReleaser.
func (h *direct) Release(context.Context) syscall.Errno {
	h.fsys.table.Lock()
	defer h.fsys.table.Unlock()
	if h.fsys.directs[h] {
		delete(h.fsys.directs, h)
		h.d.close()
	}
	return 0
}

// closeDirects closes what is left once the mount is gone: the kernel drops a
// RELEASE that was on its way.
func (f *fsys) closeDirects() {
	f.table.Lock()
	defer f.table.Unlock()
	for h := range f.directs {
		h.d.close()
	}
	clear(f.directs)
}
