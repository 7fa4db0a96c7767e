package fsnode

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/errnos"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

var (
	_ node                 = (*Special)(nil)
	_ fs.NodeGetattrer     = (*Special)(nil)
	_ fs.NodeSetattrer     = (*Special)(nil)
	_ fs.NodeReadlinker    = (*Special)(nil)
	_ fs.NodeListxattrer   = (*Special)(nil)
	_ fs.NodeGetxattrer    = (*Special)(nil)
	_ fs.NodeSetxattrer    = (*Special)(nil)
	_ fs.NodeRemovexattrer = (*Special)(nil)
	_ fs.NodeStatfser      = (*Special)(nil)
	_ fs.NodeOnForgetter   = (*Special)(nil)
)

// Special is a symlink, fifo, socket or device. What it does is the
// kernel's business; here it has a name and attributes.
type Special struct {
	fs.Inode
	fsys *fsys
	loc  place.Location // guarded by tree

	readOnly bool // it cannot be changed
}

func (s *Special) location() *place.Location { return &s.loc }
func (s *Special) lock()                     {}
func (s *Special) unlock()                   {}

func (s *Special) holdDescLocked(d *realfs.Desc) { s.fsys.tree.SetDesc(&s.loc, d) }
func (s *Special) releaseDescLocked()            { s.fsys.tree.SetDesc(&s.loc, nil) }

func (s *Special) closeDescsLocked() {
	s.fsys.tree.SetDesc(&s.loc, nil)
	s.fsys.tree.UnlinkOrphan(s.location())
}

func (s *Special) attr(out *fuse.Attr) error {
	return s.fsys.tree.Use(&s.loc, unix.O_PATH, func(d *realfs.Desc) error { return s.attrOf(d, out) })
}

func (s *Special) attrOf(d *realfs.Desc, out *fuse.Attr) error {
	err := statInto(d, s.StableAttr().Ino, out)
	if s.fsys.tree.IsOrphan(&s.loc) && out.Nlink > 0 {
		out.Nlink--
	}
	return err
}

// Getattr implements fs.NodeGetattrer.
func (s *Special) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	s.fsys.policy.limit(s, out)
	return errnos.Of(s.attr(&out.Attr))
}

// Setattr implements fs.NodeSetattrer.
func (s *Special) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if s.readOnly {
		return syscall.EPERM
	}
	return errnos.Of(s.fsys.tree.Use(&s.loc, unix.O_PATH, func(d *realfs.Desc) error {
		if err := d.SetAttr(diskChange(in)); err != nil {
			return err
		}
		return s.attrOf(d, &out.Attr)
	}))
}

// Readlink implements fs.NodeReadlinker.
func (s *Special) Readlink(context.Context) ([]byte, syscall.Errno) {
	buf := make([]byte, unix.PathMax)
	err := s.fsys.tree.Use(&s.loc, unix.O_PATH, func(d *realfs.Desc) error {
		n, err := unix.Readlinkat(d.FD, "", buf)
		if err == nil {
			buf = buf[:n]
		}
		return err
	})
	return buf, errnos.Of(err)
}

// Symlinks and special files have no extended attributes of users.

// Getxattr implements fs.NodeGetxattrer.
func (s *Special) Getxattr(_ context.Context, name string, _ []byte) (uint32, syscall.Errno) {
	return 0, errnos.Of(realfs.NoXattr(name))
}

// Setxattr implements fs.NodeSetxattrer.
func (s *Special) Setxattr(context.Context, string, []byte, uint32) syscall.Errno {
	return syscall.ENOTSUP
}

// Removexattr implements fs.NodeRemovexattrer.
func (s *Special) Removexattr(context.Context, string) syscall.Errno { return syscall.ENODATA }

// Listxattr implements fs.NodeListxattrer.
func (s *Special) Listxattr(context.Context, []byte) (uint32, syscall.Errno) { return 0, 0 }

// Statfs implements fs.NodeStatfser.
func (s *Special) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	return s.fsys.statfs(out)
}

// OnForget implements fs.NodeOnForgetter.
func (s *Special) OnForget() { s.fsys.forget(s) }

// statfs tells of the filesystem that the mount stands on.
func (f *fsys) statfs(out *fuse.StatfsOut) syscall.Errno {
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(f.root.place.Top.Root.FD, &st); err != nil {
		return errnos.Of(err)
	}
	out.FromStatfsT(&st)
	return 0
}
