package fsnode

import (
	"context"
	"errors"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/errnos"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// end is one end of a rename.
type end struct {
	dir  *Dir
	name string
	id   entity.ID // 0: not an entity's name
}

func endOf(d *Dir, name string) end {
	id, _ := d.entity(name)
	return end{d, name, id}
}

func (e end) dentry() place.Dentry { return e.dir.named(e.name) }

func (e end) isEntity() bool { return e.id != 0 }

// Rename implements fs.NodeRenamer.
func (d *Dir) Rename(ctx context.Context, name string, newParent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	defer d.fsys.lockLayout()()
	to, ok := newParent.(*Dir)
	if !ok {
		return syscall.EXDEV
	}
	if flags&^(unix.RENAME_NOREPLACE|unix.RENAME_EXCHANGE) != 0 {
		return syscall.EINVAL
	}
	if err := errors.Join(d.mayChange(name), to.mayChange(newName)); err != nil {
		return errnos.Of(err)
	}
	from, dest := endOf(d, name), endOf(to, newName)
	d.fsys.writers.Note(from.id, threadOf(ctx), callerOf(ctx).UID)
	d.fsys.writers.Note(dest.id, threadOf(ctx), callerOf(ctx).UID) // one that is there; a new one below
	err := d.fsys.rename(from, dest, flags)
	d.fsys.writers.Note(dest.id, threadOf(ctx), callerOf(ctx).UID)
	_ = d.fsys.name(from.id, false, threadOf(ctx), err) // the same error
	return d.fsys.name(dest.id, true, threadOf(ctx), err)
}

func (f *fsys) rename(from, to end, flags uint32) error {
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	exchange := flags&unix.RENAME_EXCHANGE != 0
	if err := f.mayMoveLocked(from, to); err != nil {
		return err
	}
	if exchange {
		return f.exchangeLocked(from, to)
	}
	noReplace := flags&unix.RENAME_NOREPLACE != 0
	var err error
	switch {
	case from.isEntity() && to.isEntity():
		return f.world.Rename(from.id, to.id, noReplace)
	case from.isEntity():
		err = f.moveOutLocked(from.id, to, noReplace)
	case to.isEntity():
		err = f.moveInLocked(from, to.id, noReplace)
	default:
		err = f.moveLocked(from, to, noReplace)
	}
	if err == nil {
		from.dir.changed()
		to.dir.changed()
		f.noteName(to.name)
	}
	return err
}

// noteName notes that a name came that may be that of an entity's file in another
// layout.
func (f *fsys) noteName(name string) {
	if _, ok := layout.ParseFileName(name); ok {
		f.world.NoteName()
	}
}

// exchangeLocked exchanges two names. The caller has namesMu.
func (f *fsys) exchangeLocked(a, b end) error {
	var err error
	switch {
	case a.isEntity() && b.isEntity():
		return f.world.Exchange(a.id, b.id)
	case a.isEntity():
		err = f.swapAcrossLocked(a.id, b)
	case b.isEntity():
		err = f.swapAcrossLocked(b.id, a)
	default:
		err = f.swapLocked(a, b)
	}
	if err == nil {
		a.dir.changed()
		b.dir.changed()
	}
	return err
}

// moveLocked renames within scratch. The caller has namesMu.
func (f *fsys) moveLocked(from, to end, noReplace bool) error {
	if err := f.mem.FlushAll(); err != nil {
		return err
	}
	src, err := f.findLocked(from.dir, from.name)
	if err != nil {
		return err
	}
	defer src.at.Close()
	flags := uint(0)
	if noReplace {
		flags = unix.RENAME_NOREPLACE
	}
	do := func() error {
		if err := f.tree.RenameLocked(from.dentry(), to.dentry(), flags); err != nil {
			return err
		}
		f.moveToLocked(src, from, to)
		return nil
	}
	dst, err := f.findLocked(to.dir, to.name)
	if errors.Is(err, unix.ENOENT) {
		f.tree.Lock()
		defer f.tree.Unlock()
		return do()
	}
	if err != nil {
		return err
	}
	defer dst.at.Close()
	if src.id == dst.id {
		return nil // two links of one file: rename leaves both
	}
	return f.replaceNameLocked(dst, to.dir, to.name, do)
}

// swapLocked exchanges two names in scratch. The caller has namesMu.
func (f *fsys) swapLocked(a, b end) error {
	if err := f.mem.FlushAll(); err != nil {
		return err
	}
	x, err := f.findLocked(a.dir, a.name)
	if err != nil {
		return err
	}
	defer x.at.Close()
	y, err := f.findLocked(b.dir, b.name)
	if err != nil {
		return err
	}
	defer y.at.Close()
	if x.id == y.id {
		return nil // two links of one file: exchange leaves both
	}
	f.tree.Lock()
	defer f.tree.Unlock()
	if err := f.tree.RenameLocked(a.dentry(), b.dentry(), unix.RENAME_EXCHANGE); err != nil {
		return err
	}
	f.moveToLocked(x, a, b)
	f.moveToLocked(y, b, a)
	return nil
}

// moveToLocked notes that what was found has moved. The caller has tree for writing.
func (f *fsys) moveToLocked(x *found, from, to end) {
	if x.isFile() && x.id.Ino < realfs.BackingIno && from.dir.place.InLocked() != to.dir.place.InLocked() {
		f.storeInoLocked(&to.dir.place, x.at, x.st, x.id.Ino)
	}
	if x.node != nil {
		x.node.location().Drop(from.dir.named(from.name))
		x.node.location().Add(to.dir.named(to.name))
	}
}
