package fsnode

import (
	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// storeInoLocked keeps a file's number in the way of the backing directory that it is
// in, by way of dir. The caller has tree.
func (f *fsys) storeInoLocked(dir *place.Dir, d *realfs.Desc, st *unix.Statx_t, ino uint64) {
	if dir.InLocked() == f.scratch.Dir {
		f.inos.Store(d, st, ino)
		return
	}
	f.inos.Unstore(d, st, ino)
}

// identifyLocked returns the identity of the node that stands for a file with a name
// in a directory. The caller has tree.
func (f *fsys) identifyLocked(d *realfs.Desc, st *unix.Statx_t, dir *Dir, name string) (fs.StableAttr, error) {
	kind := uint32(st.Mode) & unix.S_IFMT
	b := realfs.IDOf(st)
	backing := fs.StableAttr{Mode: kind, Ino: f.inos.Number(b), Gen: b.Generation()}
	if dir.readOnly {
		backing.Ino |= realfs.ReadOnlyIno
	}
	if l := f.world.Layout(); kind == unix.S_IFDIR && dir.isHome() {
		if shard, ok := l.ParseShard(name); ok {
			backing.Ino = uint64(l.Shards() + shard) // another directory is behind it after a remount
		}
	}
	if kind != unix.S_IFREG || dir.readOnly {
		return backing, nil
	}
	ino, stored := f.inos.Of(d, st)
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
func (f *fsys) renumberLocked(d *realfs.Desc, st *unix.Statx_t, dir *Dir) (fs.StableAttr, error) {
	ino, err := f.world.NewIno()
	if err != nil {
		return fs.StableAttr{}, err
	}
	f.storeInoLocked(&dir.place, d, st, ino)
	return fileIdentity(ino), nil
}

// transferInoLocked takes a file's number off it, for the entity that it is to become. Its
// backing's number cannot go with it, because that will be another file's: the
// entity gets a fresh one, and until the kernel has forgotten the node that
// goes by both. undo gives the file its number back. The caller has namesMu.
func (f *fsys) transferInoLocked(n *File, x *found, dir *Dir) (ino uint64, undo func(), err error) {
	if ino = f.nodes.numberOf(n); ino < realfs.BackingIno {
		f.inos.Unstore(x.at, x.st, ino)
		return ino, func() {
			f.tree.RLock()
			defer f.tree.RUnlock()
			f.storeInoLocked(&dir.place, x.at, x.st, ino)
		}, nil
	}
	if ino, err = f.world.NewIno(); err != nil {
		return 0, nil, err
	}
	f.nodes.addAlias(n, ino)
	return ino, func() { f.nodes.dropAlias(n) }, nil
}
