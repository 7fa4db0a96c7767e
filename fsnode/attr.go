package fsnode

import (
	"context"
	"os"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
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

func statxTime(t unix.StatxTimestamp) time.Time { return time.Unix(t.Sec, int64(t.Nsec)) }

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

// owner is the user and group that a new file belongs to.
type owner struct{ uid, gid uint32 }

// callerOf returns the user and group of the caller. The daemon may be root, and what it
// makes on behalf of another must not be root's.
func callerOf(ctx context.Context) owner {
	if c, ok := fuse.FromContext(ctx); ok {
		return owner{c.Uid, c.Gid}
	}
	return owner{uint32(os.Geteuid()), uint32(os.Getegid())}
}

// threadOf returns the thread that made the request, 0 if it is not known.
func threadOf(ctx context.Context) uint32 {
	if c, ok := fuse.FromContext(ctx); ok {
		return c.Pid
	}
	return 0
}
