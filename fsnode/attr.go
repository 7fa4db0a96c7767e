package fsnode

import (
	"context"
	"os"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

const (
	blockSize  = 4096 // what programs are told to read and write at a time
	sectorSize = 512  // what stat counts blocks in
)

// entityAttr fills out from an entity's attributes.
func entityAttr(a cache.Attr, linked bool, out *fuse.Attr) {
	out.Ino = a.Ino
	out.Mode = unix.S_IFREG | a.Mode
	out.Uid, out.Gid = a.UID, a.GID
	out.Size = uint64(a.Size)
	out.Blocks = (out.Size + sectorSize - 1) / sectorSize
	out.Blksize = blockSize
	out.SetTimes(&a.Atime, &a.Mtime, &a.Ctime)
	if linked {
		out.Nlink = 1
	}
}

// scratchAttr fills out from the attributes of a file in scratch, which has
// the inode number ino here.
func scratchAttr(st *unix.Statx_t, ino uint64, out *fuse.Attr) {
	out.Ino = ino
	out.Mode = uint32(st.Mode)
	out.Uid, out.Gid = st.Uid, st.Gid
	out.Size, out.Blocks, out.Blksize = st.Size, st.Blocks, st.Blksize
	out.Nlink = st.Nlink
	out.Rdev = uint32(unix.Mkdev(st.Rdev_major, st.Rdev_minor))
	out.Atime, out.Atimensec = uint64(st.Atime.Sec), st.Atime.Nsec
	out.Mtime, out.Mtimensec = uint64(st.Mtime.Sec), st.Mtime.Nsec
	out.Ctime, out.Ctimensec = uint64(st.Ctime.Sec), st.Ctime.Nsec
}

// hideOrphanLink takes a node's link in the moving directory off its attributes.
func (f *fsys) hideOrphanLink(s *place.Location, out *fuse.Attr) {
	if f.tree.IsOrphan(s) && out.Nlink > 0 {
		out.Nlink--
	}
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
