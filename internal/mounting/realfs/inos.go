package realfs

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Inode numbers: entities have them from the cache, and so have regular files
// that were made in the mount, because they keep them when they become
// entities. Everything else has the number of its backing, apart from the
// cache's; what is read-only has a number of its own, because it may be what
// stands behind another node.
const (
	HomeIno     = 1 // the entities directory's; below 2000 are those of shards
	BackingIno  = 1 << 62
	ReadOnlyIno = 1 << 61
)

// A regular file in scratch that was made in the mount carries its inode number
// in an extended attribute, so that it survives a remount, hard links and
// renames. The mount hides it. Beneath the mount nothing is put on files: there such a
// number is remembered, and the file has that of its backing after a remount.
const (
	OwnXattrs = "user.worldfs."
	inoXattr  = OwnXattrs + "ino"
)

// ID names a file of the backing filesystem, which uses inode numbers
// again.
type ID struct {
	dev   uint64
	ino   uint64
	btime int64
}

// IDOf returns the ID in what statx(2) returned.
func IDOf(st *unix.Statx_t) ID {
	return ID{unix.Mkdev(st.Dev_major, st.Dev_minor), st.Ino, st.Btime.Sec*1e9 + int64(st.Btime.Nsec)}
}

// Generation tells files that have the same number one after another apart.
func (b ID) Generation() uint64 { return uint64(b.btime) }

// Number returns a backing's number as one of the mount's. Filesystems that
// are mounted below the one that scratch is on have numbers that are far apart.
func (i *Inos) Number(b ID) uint64 {
	const odd = 0x9e3779b97f4a7c15
	n := b.ino
	if b.dev != i.dev {
		n ^= b.dev * odd
	}
	return BackingIno | n&(ReadOnlyIno-1)
}

// Inos knows the inode numbers of regular files that are no entities.
type Inos struct {
	dev uint64 // of the filesystem that scratch is on
	mu  lockorder.Mutex
	// unstored holds numbers that are not on the file: of files that are being
	// moved across the boundary, so that a crash leaves no number on two files,
	// of those beneath the mount, and of those whose filesystem has no extended
	// attributes. Guarded by mu.
	unstored map[ID]uint64
}

// Init readies it for files below the root of the backing filesystem.
func (i *Inos) Init(root *Desc) {
	if st, err := root.Stat(); err == nil {
		i.dev = IDOf(st).dev
	}
	i.unstored = make(map[ID]uint64)
	i.mu.Init(&classInos)
}

// Of returns the number that was given to a regular file, 0 if none was. stored
// tells that the number is on the file itself.
func (i *Inos) Of(d *Desc, st *unix.Statx_t) (ino uint64, stored bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if ino, ok := i.unstored[IDOf(st)]; ok {
		return ino, false
	}
	ino = readIno(d)
	return ino, ino != 0
}

// Store puts a number on a file, or where that is not possible remembers it.
func (i *Inos) Store(d *Desc, st *unix.Statx_t, ino uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := writeIno(d, uint32(st.Mode), ino); err != nil {
		i.unstored[IDOf(st)] = ino
		return
	}
	delete(i.unstored, IDOf(st))
}

// Unstore takes a file's number off it and remembers it.
func (i *Inos) Unstore(d *Desc, st *unix.Statx_t, ino uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.unstored[IDOf(st)] = ino
	_ = unix.Removexattr(d.Magic(), inoXattr) // there may be none
}

// Drop forgets a file whose last name is gone.
func (i *Inos) Drop(st *unix.Statx_t) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.unstored, IDOf(st))
}

// readIno returns the number on a file, 0 if there is none that can be read.
func readIno(d *Desc) uint64 {
	buf := make([]byte, 24)
	n, err := unix.Getxattr(d.Magic(), inoXattr, buf)
	if err != nil {
		return 0
	}
	ino, err := strconv.ParseUint(string(buf[:n]), 10, 62)
	if err != nil || ino <= HomeIno {
		return 0
	}
	return ino
}

func writeIno(d *Desc, mode uint32, ino uint64) error {
	value := strconv.AppendUint(nil, ino, 10)
	err := unix.Setxattr(d.Magic(), inoXattr, value, 0)
	if !errors.Is(err, unix.EACCES) {
		return err
	}
	// An owner that is not root may not mark a file that it may not write.
	if err := d.Chmod(mode&0o7777 | 0o600); err != nil {
		return err
	}
	err = unix.Setxattr(d.Magic(), inoXattr, value, 0)
	return errors.Join(err, d.Chmod(mode&0o7777))
}
