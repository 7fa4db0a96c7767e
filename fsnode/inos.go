package fsnode

import (
	"errors"
	"strconv"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// A regular file in scratch that was made in the mount carries its inode number
// in an extended attribute, so that it survives a remount, hard links and
// renames. The mount hides it. Beneath the mount nothing is put on files: there such a
// number is remembered, and the file has that of its backing after a remount.
const (
	ownXattrs = "user.worldfs."
	inoXattr  = ownXattrs + "ino"
)

// backingID names a file of the backing filesystem, which uses inode numbers
// again.
type backingID struct {
	dev   uint64
	ino   uint64
	btime int64
}

func idOf(st *unix.Statx_t) backingID {
	return backingID{unix.Mkdev(st.Dev_major, st.Dev_minor), st.Ino, st.Btime.Sec*1e9 + int64(st.Btime.Nsec)}
}

// number returns the backing's number as one of the mount's. Filesystems that
// are mounted below the one that scratch is on have numbers that are far apart.
func (b backingID) number(home uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15
	n := b.ino
	if b.dev != home {
		n ^= b.dev * odd
	}
	return backingIno | n&(readOnlyIno-1)
}

// inos knows the inode numbers of regular files that are no entities.
type inos struct {
	dev uint64 // of the filesystem that scratch is on
	mu  lockorder.Mutex
	// unstored holds numbers that are not on the file: of files that are being
	// moved across the boundary, so that a crash leaves no number on two files,
	// of those beneath the mount, and of those whose filesystem has no extended
	// attributes. Guarded by mu.
	unstored map[backingID]uint64
}

func (i *inos) init() {
	i.unstored = make(map[backingID]uint64)
	i.mu.Init(&classInos)
}

// of returns the number that was given to a regular file, 0 if none was. stored
// tells that the number is on the file itself.
func (i *inos) of(d *desc, st *unix.Statx_t) (ino uint64, stored bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if ino, ok := i.unstored[idOf(st)]; ok {
		return ino, false
	}
	ino = readIno(d)
	return ino, ino != 0
}

// store puts a number on a file, or where that is not possible remembers it.
func (i *inos) store(d *desc, st *unix.Statx_t, ino uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := writeIno(d, uint32(st.Mode), ino); err != nil {
		i.unstored[idOf(st)] = ino
		return
	}
	delete(i.unstored, idOf(st))
}

// unstore takes a file's number off it and remembers it.
func (i *inos) unstore(d *desc, st *unix.Statx_t, ino uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.unstored[idOf(st)] = ino
	_ = unix.Removexattr(d.magic(), inoXattr) // there may be none
}

// drop forgets a file whose last name is gone.
func (i *inos) drop(st *unix.Statx_t) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.unstored, idOf(st))
}

// readIno returns the number on a file, 0 if there is none that can be read.
func readIno(d *desc) uint64 {
	buf := make([]byte, 24)
	n, err := unix.Getxattr(d.magic(), inoXattr, buf)
	if err != nil {
		return 0
	}
	ino, err := strconv.ParseUint(string(buf[:n]), 10, 62)
	if err != nil || ino <= homeIno {
		return 0
	}
	return ino
}

func writeIno(d *desc, mode uint32, ino uint64) error {
	value := strconv.AppendUint(nil, ino, 10)
	err := unix.Setxattr(d.magic(), inoXattr, value, 0)
	if !errors.Is(err, unix.EACCES) {
		return err
	}
	// An owner that is not root may not mark a file that it may not write.
	if err := d.chmod(mode&0o7777 | 0o600); err != nil {
		return err
	}
	err = unix.Setxattr(d.magic(), inoXattr, value, 0)
	return errors.Join(err, d.chmod(mode&0o7777))
}

// storeInoLocked keeps a file's number in the way of the backing directory that it is
// in, by way of dir. The caller has tree.
func (f *fsys) storeInoLocked(dir *Dir, d *desc, st *unix.Statx_t, ino uint64) {
	if dir.inLocked() == f.scratch.backingDir {
		f.inos.store(d, st, ino)
		return
	}
	f.inos.unstore(d, st, ino)
}

// identifyLocked returns the identity of the node that stands for a file with a name
// in a directory. The caller has tree.
func (f *fsys) identifyLocked(d *desc, st *unix.Statx_t, dir *Dir, name string) (fs.StableAttr, error) {
	kind := uint32(st.Mode) & unix.S_IFMT
	b := idOf(st)
	backing := fs.StableAttr{Mode: kind, Ino: b.number(f.inos.dev), Gen: uint64(b.btime)}
	if dir.readOnly {
		backing.Ino |= readOnlyIno
	}
	if l := f.world.Layout(); kind == unix.S_IFDIR && dir.isHome() {
		if shard, ok := l.ParseShard(name); ok {
			backing.Ino = uint64(l.Shards() + shard) // another directory is behind it after a remount
		}
	}
	if kind != unix.S_IFREG || dir.readOnly {
		return backing, nil
	}
	ino, stored := f.inos.of(d, st)
	taken := false
	if ino == 0 {
		taken = f.nodes.isRenumbered(backing.Ino)
	} else if n, ok := f.nodes.live(fileIdentity(ino)).(*File); ok {
		// A power cut in a rename may leave an entity with the same number.
		taken = stored && n.marks.has(markEntity)
	}
	switch {
	case taken:
		return f.renumberLocked(d, st, dir)
	case ino == 0:
		return backing, nil
	}
	return fileIdentity(ino), nil
}

// renumberLocked gives a file a fresh number. The caller has tree.
func (f *fsys) renumberLocked(d *desc, st *unix.Statx_t, dir *Dir) (fs.StableAttr, error) {
	ino, err := f.world.NewIno()
	if err != nil {
		return fs.StableAttr{}, err
	}
	f.storeInoLocked(dir, d, st, ino)
	return fileIdentity(ino), nil
}

// transferInoLocked takes a file's number off it, for the entity that it is to become. Its
// backing's number cannot go with it, because that will be another file's: the
// entity gets a fresh one, and until the kernel has forgotten the node that
// goes by both. undo gives the file its number back. The caller has namesMu.
func (f *fsys) transferInoLocked(n *File, x *found, dir *Dir) (ino uint64, undo func(), err error) {
	if ino = f.nodes.numberOf(n); ino < backingIno {
		f.inos.unstore(x.at, x.st, ino)
		return ino, func() {
			f.tree.RLock()
			defer f.tree.RUnlock()
			f.storeInoLocked(dir, x.at, x.st, ino)
		}, nil
	}
	if ino, err = f.world.NewIno(); err != nil {
		return 0, nil, err
	}
	f.nodes.addAlias(n, ino)
	return ino, func() { f.nodes.dropAlias(n) }, nil
}
