package fsnode

import (
	"context"
	"os"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// fillAttr fills out, but for the inode number.
func fillAttr(a backing.Attr, out *fuse.Attr) {
	out.Mode = a.Mode
	out.Uid, out.Gid = a.UID, a.GID
	out.Size, out.Blocks, out.Blksize = a.Size, a.Blocks, a.BlockSize
	out.Nlink = a.Nlink
	out.Rdev = a.Rdev
	out.SetTimes(&a.Atime, &a.Mtime, &a.Ctime)
}

// statInto fills out from what is told of an open file, which has the inode number ino
// here.
func statInto(d *realfs.Desc, ino uint64, out *fuse.Attr) error {
	st, err := d.Stat()
	if err != nil {
		return err
	}
	fillAttr(backing.RealAttr(st), out)
	out.Ino = ino
	return nil
}

// attrChange is what a SETATTR asks of an entity.
func attrChange(in *fuse.SetAttrIn) cache.AttrChange {
	var c cache.AttrChange
	if v, ok := in.GetSize(); ok {
		size := int64(v)
		c.Size = &size
	}
	if v, ok := in.GetMode(); ok {
		c.Mode = &v
	}
	if v, ok := in.GetUID(); ok {
		c.UID = &v
	}
	if v, ok := in.GetGID(); ok {
		c.GID = &v
	}
	if v, ok := in.GetMTime(); ok {
		c.Mtime = &v
	}
	if v, ok := in.GetATime(); ok {
		c.Atime = &v
	}
	return c
}

// diskChange is what a SETATTR asks of what is on the disk, except for the size.
func diskChange(in *fuse.SetAttrIn) realfs.Change {
	c := attrChange(in)
	return realfs.Change{Mode: c.Mode, UID: c.UID, GID: c.GID, Mtime: c.Mtime, Atime: c.Atime}
}

// callerOf returns the user and group of the caller. The daemon may be root, and what it
// makes on behalf of another must not be root's.
func callerOf(ctx context.Context) realfs.Owner {
	if c, ok := fuse.FromContext(ctx); ok {
		return realfs.Owner{UID: c.Uid, GID: c.Gid}
	}
	return realfs.Owner{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}
}

// threadOf returns the thread that made the request, 0 if it is not known.
func threadOf(ctx context.Context) uint32 {
	if c, ok := fuse.FromContext(ctx); ok {
		return c.Pid
	}
	return 0
}
