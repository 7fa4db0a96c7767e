package fsnode

import (
	"errors"
	"strconv"
	"sync"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
)

// A regular file in scratch carries its inode number in an extended attribute,
// so that it survives a remount, hard links and renames. The mount hides it.
const (
	ownXattrs = "user.worldfs."
	inoXattr  = ownXattrs + "ino"
)

// backingID names a file of the backing filesystem, which uses inode numbers
// again.
type backingID struct {
	ino   uint64
	btime int64
}

func idOf(st *unix.Statx_t) backingID {
	return backingID{st.Ino, st.Btime.Sec*1e9 + int64(st.Btime.Nsec)}
}

// inos knows the inode numbers of regular files in scratch.
type inos struct {
	world *cache.World
	mu    sync.Mutex
	// loose holds numbers that are not on the file: of files that are being
	// moved across the boundary, so that a crash leaves no number on two files,
	// and of those whose filesystem has no extended attributes. Guarded by mu.
	loose map[backingID]uint64
}

// of returns a regular file's number, giving it one if it has none. stored
// tells that the number is on the file itself.
func (i *inos) of(d *desc, st *unix.Statx_t) (ino uint64, stored bool, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if ino, ok := i.loose[idOf(st)]; ok {
		return ino, false, nil
	}
	if ino := readIno(d); ino != 0 {
		return ino, true, nil
	}
	ino, err = i.assign(d, st)
	return ino, false, err
}

// renumber gives a file a fresh number.
func (i *inos) renumber(d *desc, st *unix.Statx_t) (uint64, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.assign(d, st)
}

func (i *inos) assign(d *desc, st *unix.Statx_t) (uint64, error) {
	ino, err := i.world.NewIno()
	if err != nil {
		return 0, err
	}
	i.store(d, st, ino)
	return ino, nil
}

// store puts a number on a file, or where that is not possible remembers it.
func (i *inos) store(d *desc, st *unix.Statx_t, ino uint64) {
	if err := writeIno(d, uint32(st.Mode), ino); err != nil {
		i.loose[idOf(st)] = ino
		return
	}
	delete(i.loose, idOf(st))
}

// settle puts a number on a file.
func (i *inos) settle(d *desc, st *unix.Statx_t, ino uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.store(d, st, ino)
}

// loosen takes a file's number off it and remembers it.
func (i *inos) loosen(d *desc, st *unix.Statx_t, ino uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.loose[idOf(st)] = ino
	_ = unix.Removexattr(d.magic(), inoXattr) // there may be none
}

// drop forgets a file whose last name is gone.
func (i *inos) drop(st *unix.Statx_t) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.loose, idOf(st))
}

// readIno returns the number on a file, 0 if there is none that can be read.
func readIno(d *desc) uint64 {
	buf := make([]byte, 24)
	n, err := unix.Getxattr(d.magic(), inoXattr, buf)
	if err != nil {
		return 0
	}
	ino, err := strconv.ParseUint(string(buf[:n]), 10, 62)
	if err != nil || ino <= rootIno {
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

// identify returns the identity of the node that stands for a file in scratch.
func (f *fsys) identify(d *desc, st *unix.Statx_t) (fs.StableAttr, error) {
	kind := uint32(st.Mode) & unix.S_IFMT
	if kind != unix.S_IFREG {
		b := idOf(st)
		return fs.StableAttr{Mode: kind, Ino: backingIno | b.ino, Gen: uint64(b.btime)}, nil
	}
	ino, stored, err := f.inos.of(d, st)
	if err != nil {
		return fs.StableAttr{}, err
	}
	if n, ok := f.live(fileIdentity(ino)).(*File); ok && stored && n.entity.Load() {
		// A power cut in a rename may leave an entity with the same number.
		ino, err = f.inos.renumber(d, st)
	}
	return fileIdentity(ino), err
}
