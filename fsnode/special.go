package fsnode

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
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
	loc  location // guarded by tree

	readOnly bool // it cannot be changed
}

func (s *Special) location() *location { return &s.loc }
func (s *Special) lock()               {}
func (s *Special) unlock()             {}

func (s *Special) holdDescLocked(d *desc) { s.fsys.tree.setDesc(&s.loc, d) }
func (s *Special) releaseDescLocked()     { s.fsys.tree.setDesc(&s.loc, nil) }

func (s *Special) closeDescsLocked() {
	s.fsys.tree.setDesc(&s.loc, nil)
	s.fsys.tree.unlinkOrphan(s)
}

func (s *Special) attr(out *fuse.Attr) error {
	return s.fsys.tree.use(&s.loc, unix.O_PATH, func(d *desc) error { return s.attrOf(d, out) })
}

func (s *Special) attrOf(d *desc, out *fuse.Attr) error {
	err := statInto(d, s.StableAttr().Ino, out)
	s.fsys.tree.hideOrphanLink(s, out)
	return err
}

func statInto(d *desc, ino uint64, out *fuse.Attr) error {
	st, err := d.stat()
	if err != nil {
		return err
	}
	scratchAttr(st, ino, out)
	return nil
}

// Getattr implements fs.NodeGetattrer.
func (s *Special) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	s.fsys.policy.limit(s, out)
	return errnoOf(s.attr(&out.Attr))
}

// Setattr implements fs.NodeSetattrer.
func (s *Special) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if s.readOnly {
		return syscall.EPERM
	}
	return errnoOf(s.fsys.tree.use(&s.loc, unix.O_PATH, func(d *desc) error {
		if err := d.setAttr(in); err != nil {
			return err
		}
		return s.attrOf(d, &out.Attr)
	}))
}

// Readlink implements fs.NodeReadlinker.
func (s *Special) Readlink(context.Context) ([]byte, syscall.Errno) {
	buf := make([]byte, unix.PathMax)
	err := s.fsys.tree.use(&s.loc, unix.O_PATH, func(d *desc) error {
		n, err := unix.Readlinkat(d.n, "", buf)
		if err == nil {
			buf = buf[:n]
		}
		return err
	})
	return buf, errnoOf(err)
}

// Symlinks and special files have no extended attributes of users.

// Getxattr implements fs.NodeGetxattrer.
func (s *Special) Getxattr(_ context.Context, name string, _ []byte) (uint32, syscall.Errno) {
	return 0, errnoOf(noXattr(name))
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
	if err := syscall.Fstatfs(f.root.top.root.n, &st); err != nil {
		return errnoOf(err)
	}
	out.FromStatfsT(&st)
	return 0
}
