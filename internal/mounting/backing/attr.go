package backing

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// BlockSize is what programs are told to read and write at a time.
const BlockSize = 4096

// sectorSize is what stat counts blocks in.
const sectorSize = 512

// Attr is what stat tells of a file, but for its inode number.
type Attr struct {
	Mode                uint32 // with the kind: S_IFREG and so on
	UID, GID            uint32
	Size, Blocks        uint64
	BlockSize           uint32
	Nlink, Rdev         uint32
	Atime, Mtime, Ctime time.Time
}

// entityAttr returns that of a file with an entity's attributes.
func entityAttr(a cache.Attr, linked bool) Attr {
	out := Attr{
		Mode: unix.S_IFREG | a.Mode, UID: a.UID, GID: a.GID, Size: uint64(a.Size), BlockSize: BlockSize,
		Atime: a.Atime, Mtime: a.Mtime, Ctime: a.Ctime,
	}
	out.Blocks = (out.Size + sectorSize - 1) / sectorSize
	if linked {
		out.Nlink = 1
	}
	return out
}

// RealAttr returns that in what statx(2) returned.
func RealAttr(st *unix.Statx_t) Attr {
	return Attr{
		Mode: uint32(st.Mode), UID: st.Uid, GID: st.Gid,
		Size: st.Size, Blocks: st.Blocks, BlockSize: st.Blksize,
		Nlink: st.Nlink, Rdev: uint32(unix.Mkdev(st.Rdev_major, st.Rdev_minor)),
		Atime: realfs.StatxTime(st.Atime), Mtime: realfs.StatxTime(st.Mtime), Ctime: realfs.StatxTime(st.Ctime),
	}
}
