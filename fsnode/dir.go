package fsnode

import (
	"context"
	"errors"
	iofs "io/fs"
	"sync/atomic"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/errnos"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

var (
	_ node                  = (*Dir)(nil)
	_ fs.NodeGetattrer      = (*Dir)(nil)
	_ fs.NodeSetattrer      = (*Dir)(nil)
	_ fs.NodeLookuper       = (*Dir)(nil)
	_ fs.NodeCreater        = (*Dir)(nil)
	_ fs.NodeMkdirer        = (*Dir)(nil)
	_ fs.NodeMknoder        = (*Dir)(nil)
	_ fs.NodeSymlinker      = (*Dir)(nil)
	_ fs.NodeLinker         = (*Dir)(nil)
	_ fs.NodeUnlinker       = (*Dir)(nil)
	_ fs.NodeRmdirer        = (*Dir)(nil)
	_ fs.NodeRenamer        = (*Dir)(nil)
	_ fs.NodeOpendirHandler = (*Dir)(nil)
	_ fs.NodeFsyncer        = (*Dir)(nil)
	_ fs.NodeGetxattrer     = (*Dir)(nil)
	_ fs.NodeSetxattrer     = (*Dir)(nil)
	_ fs.NodeRemovexattrer  = (*Dir)(nil)
	_ fs.NodeListxattrer    = (*Dir)(nil)
	_ fs.NodeStatfser       = (*Dir)(nil)
	_ fs.NodeOnForgetter    = (*Dir)(nil)
)

// Dir is a directory: that where entities are, or one in scratch or beneath the
// mount.
type Dir struct {
	fs.Inode
	fsys     *fsys
	place    place.Dir       // guarded by tree
	readOnly bool            // nothing in it or below can be changed
	fixed    map[string]*Dir // what stands in it for as long as the mount does
	removed  atomic.Bool     // it is fixed, and was removed for the time being
}

// newDir returns a directory; in is the backing directory that it is, nil if it lies in
// one.
func newDir(f *fsys, in *realfs.Dir, readOnly bool) *Dir {
	d := &Dir{fsys: f, readOnly: readOnly}
	d.place.Top, d.place.Node = in, d
	return d
}

// named returns a name in the directory.
func (d *Dir) named(name string) place.Dentry { return d.place.Named(name) }

func (d *Dir) isRoot() bool { return d == d.fsys.root }

// isHome reports whether it is the entities directory.
func (d *Dir) isHome() bool { return d == d.fsys.home }

func (d *Dir) location() *place.Location { return &d.place.Loc }
func (d *Dir) lock()                     {}
func (d *Dir) unlock()                   {}

func (d *Dir) holdDescLocked(k *realfs.Desc) { d.fsys.tree.SetDesc(&d.place.Loc, k) }
func (d *Dir) releaseDescLocked()            { d.fsys.tree.SetDesc(&d.place.Loc, nil) }
func (d *Dir) closeDescsLocked()             { d.fsys.tree.SetDesc(&d.place.Loc, nil) }

// hidden reports whether a name is our own.
func (d *Dir) hidden(name string) bool { return name == realfs.MovingName && d.isHome() }

// mayChange reports whether a name in the directory may come or go.
func (d *Dir) mayChange(name string) error {
	switch {
	case d.readOnly || d.hidden(name):
		return unix.EPERM
	case d.fixedChild(name) != nil:
		return unix.EBUSY
	}
	return nil
}

// changed notes that a name that is no entity's came or went.
func (d *Dir) changed() {
	if shard, ok := d.shard(); ok {
		d.fsys.world.TouchDir(shard)
	}
}

func (d *Dir) attr(out *fuse.Attr) error {
	return d.fsys.tree.UseDir(&d.place, func(at *realfs.Desc) error { return d.attrOf(at, out) })
}

func (d *Dir) attrOf(at *realfs.Desc, out *fuse.Attr) error {
	shard, ok := d.shard()
	d.fsys.tree.RLock() // nothing is flushed meanwhile
	defer d.fsys.tree.RUnlock()
	if err := statInto(at, d.StableAttr().Ino, out); err != nil {
		return err
	}
	if !ok {
		return nil
	}
	if d.isHome() && out.Nlink > 2 {
		out.Nlink-- // the moving directory is not shown
	}
	mtime, ctime := d.fsys.world.DirAttr(shard)
	if backing := d.place.Ctime.Show(out.ChangeTime()); backing.After(ctime) {
		ctime = backing
	}
	out.SetTimes(nil, &mtime, &ctime)
	return nil
}

// Getattr implements fs.NodeGetattrer.
func (d *Dir) Getattr(ctx context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	if d.isHome() {
		d.fsys.barrier.WaitListed(threadOf(ctx))
	}
	d.fsys.policy.limit(d, out)
	if d.isHome() && d.fsys.barrier.Listing() {
		out.SetTimeout(0)
	}
	return errnos.Of(d.attr(&out.Attr))
}

// Setattr implements fs.NodeSetattrer. The mode and owner of the entities
// directory are those of the scratch directory, and as lasting.
func (d *Dir) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if d.readOnly {
		return syscall.EPERM
	}
	return errnos.Of(d.fsys.tree.UseDir(&d.place, func(at *realfs.Desc) error {
		if err := at.SetAttr(diskChange(in)); err != nil {
			return err
		}
		if t, ok := in.GetMTime(); ok {
			d.setTime(t)
		}
		return d.attrOf(at, &out.Attr)
	}))
}

// Lookup implements fs.NodeLookuper.
func (d *Dir) Lookup(_ context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer d.fsys.lockLayout()()
	n, err := d.lookup(name)
	if err != nil {
		out.SetEntryTimeout(d.fsys.policy.absence(d)) // it counts if the name is not there (see rawFS)
		return nil, errnos.Of(err)
	}
	return d.fsys.reply(n, out)
}

func (d *Dir) lookup(name string) (node, error) {
	if d.fixed[name] != nil {
		if n := d.fixedChild(name); n != nil {
			return n, nil
		}
		return nil, unix.ENOENT
	}
	if id, ok := d.entity(name); ok {
		return d.fsys.entityNode(id)
	}
	if d.hidden(name) {
		return nil, unix.ENOENT
	}
	if d.fsys.holdsEntities(d, name) {
		if err := d.fsys.ensureShard(name); err != nil {
			return nil, err
		}
	}
	return d.fsys.scratchNode(d, name)
}

// mayMake reports whether something that is no regular file may have a name.
func (d *Dir) mayMake(name string) error {
	if _, ok := d.entity(name); ok {
		return unix.EPERM
	}
	return d.mayChange(name)
}

// mayMakeFile reports whether something that is no directory may have a name.
func (d *Dir) mayMakeFile(name string) error {
	if _, ok := d.parseShard(name); ok {
		return unix.EPERM
	}
	return d.mayMake(name)
}

// Create implements fs.NodeCreater.
func (d *Dir) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	defer d.fsys.lockLayout()()
	n, err := d.create(name, mode, callerOf(ctx))
	if err == nil {
		n.noteWriter(ctx)
	}
	if errors.Is(err, iofs.ErrExist) && flags&unix.O_EXCL == 0 {
		n, err = d.openExisting(name, flags)
	}
	if err != nil {
		return nil, nil, 0, errnos.Of(err)
	}
	ino, errno := d.fsys.reply(n, out)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	h, openFlags, errno := n.handle()
	return ino, h, openFlags, errno
}

// create makes a regular file.
func (d *Dir) create(name string, mode uint32, o realfs.Owner) (*File, error) {
	if id, ok := d.entity(name); ok {
		if _, err := d.fsys.world.Create(id, mode&0o7777, o.UID, o.GID); err != nil {
			return nil, err
		}
		return d.fsys.entityNode(id)
	}
	if err := d.mayMakeFile(name); err != nil {
		return nil, err
	}
	n, err := d.fsys.makeFile(d, name, mode, o)
	if err == nil {
		d.changed()
		d.fsys.noteName(name)
	}
	return n, err
}

// openExisting is for a file that appeared since the kernel looked.
func (d *Dir) openExisting(name string, flags uint32) (*File, error) {
	n, err := d.lookup(name)
	if err != nil {
		return nil, err
	}
	file, ok := n.(*File)
	if !ok {
		return nil, unix.ESTALE
	}
	if flags&unix.O_TRUNC == 0 {
		return file, nil
	}
	var in fuse.SetAttrIn
	in.Valid = fuse.FATTR_SIZE | fuse.FATTR_KILL_SUIDGID
	return file, file.setAttr(&in)
}

// Mkdir implements fs.NodeMkdirer.
func (d *Dir) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer d.fsys.lockLayout()()
	if n := d.fixed[name]; n != nil && n.isHome() && d.fixedChild(name) == nil {
		if err := d.fsys.recreateHome(mode, callerOf(ctx)); err != nil {
			return nil, errnos.Of(err)
		}
		return d.fsys.reply(n, out)
	}
	if err := d.mayMake(name); err != nil {
		return nil, errnos.Of(err)
	}
	return d.make(ctx, name, mode, out, func(at *realfs.Desc) error { return unix.Mkdirat(at.FD, name, mode&0o7777) })
}

// Symlink implements fs.NodeSymlinker.
func (d *Dir) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer d.fsys.lockLayout()()
	if err := d.mayMakeFile(name); err != nil {
		return nil, errnos.Of(err)
	}
	return d.make(ctx, name, 0, out, func(at *realfs.Desc) error { return unix.Symlinkat(target, at.FD, name) })
}

// Mknod implements fs.NodeMknoder.
func (d *Dir) Mknod(ctx context.Context, name string, mode, dev uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer d.fsys.lockLayout()()
	if kind := mode & unix.S_IFMT; kind == 0 || kind == unix.S_IFREG {
		n, err := d.create(name, mode, callerOf(ctx))
		if err != nil {
			return nil, errnos.Of(err)
		}
		return d.fsys.reply(n, out)
	}
	if err := d.mayMakeFile(name); err != nil {
		return nil, errnos.Of(err)
	}
	return d.make(ctx, name, mode, out, func(at *realfs.Desc) error { return unix.Mknodat(at.FD, name, mode, int(dev)) })
}

// make makes what is no regular file, under a name that may have it.
func (d *Dir) make(ctx context.Context, name string, mode uint32, out *fuse.EntryOut, do func(*realfs.Desc) error) (*fs.Inode, syscall.Errno) {
	n, err := d.fsys.makeOther(d, name, mode, callerOf(ctx), do)
	if err != nil {
		return nil, errnos.Of(err)
	}
	d.changed()
	return d.fsys.reply(n, out)
}

// Link implements fs.NodeLinker. An entity has one name.
func (d *Dir) Link(_ context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer d.fsys.lockLayout()()
	n, ok := target.(node)
	if !ok {
		return nil, syscall.EXDEV
	}
	if isReadOnly(n) {
		return nil, syscall.EPERM
	}
	if err := d.mayMakeFile(name); err != nil {
		return nil, errnos.Of(err)
	}
	if err := d.fsys.link(n, d, name); err != nil {
		return nil, errnos.Of(err)
	}
	d.changed()
	return d.fsys.reply(n, out)
}

// Unlink implements fs.NodeUnlinker.
func (d *Dir) Unlink(ctx context.Context, name string) syscall.Errno {
	defer d.fsys.lockLayout()()
	if id, ok := d.entity(name); ok {
		d.fsys.writers.Note(id, threadOf(ctx), callerOf(ctx).UID)
		return d.fsys.name(id, false, threadOf(ctx), d.fsys.world.Remove(id))
	}
	return d.remove(name, 0)
}

// Rmdir implements fs.NodeRmdirer.
func (d *Dir) Rmdir(_ context.Context, name string) syscall.Errno {
	defer d.fsys.lockLayout()()
	if _, ok := d.entity(name); ok {
		return syscall.ENOTDIR
	}
	if d.fsys.holdsEntities(d, name) {
		return syscall.ENOTEMPTY
	}
	if n := d.fixedChild(name); n != nil && n.isHome() {
		return errnos.Of(d.fsys.removeHome())
	}
	return d.remove(name, unix.AT_REMOVEDIR)
}

func (d *Dir) remove(name string, flags int) syscall.Errno {
	if d.hidden(name) {
		return syscall.ENOENT
	}
	if err := d.mayChange(name); err != nil {
		return errnos.Of(err)
	}
	err := d.fsys.remove(d, name, flags)
	if err == nil {
		d.changed()
	}
	return errnos.Of(err)
}

// Fsync implements fs.NodeFsyncer. Where entities are it makes every edit
// durable.
func (d *Dir) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	err := errors.Join(d.fsys.mem.FlushAll(), d.fsys.tree.UseDir(&d.place, realfs.SyncDir))
	if _, ok := d.shard(); ok {
		err = errors.Join(err, d.fsys.world.SyncAll())
	}
	return errnos.Of(err)
}

// Getxattr implements fs.NodeGetxattrer.
func (d *Dir) Getxattr(_ context.Context, name string, dest []byte) (n uint32, errno syscall.Errno) {
	err := d.fsys.tree.UseDir(&d.place, func(at *realfs.Desc) (err error) {
		n, err = at.GetXattr(name, dest)
		return err
	})
	return n, errnos.Of(err)
}

// Setxattr implements fs.NodeSetxattrer.
func (d *Dir) Setxattr(_ context.Context, name string, data []byte, flags uint32) syscall.Errno {
	if d.readOnly {
		return syscall.EPERM
	}
	return errnos.Of(d.fsys.tree.UseDir(&d.place, func(at *realfs.Desc) error { return at.SetXattr(name, data, flags) }))
}

// Removexattr implements fs.NodeRemovexattrer.
func (d *Dir) Removexattr(_ context.Context, name string) syscall.Errno {
	if d.readOnly {
		return syscall.EPERM
	}
	return errnos.Of(d.fsys.tree.UseDir(&d.place, func(at *realfs.Desc) error { return at.RemoveXattr(name) }))
}

// Listxattr implements fs.NodeListxattrer.
func (d *Dir) Listxattr(_ context.Context, dest []byte) (n uint32, errno syscall.Errno) {
	err := d.fsys.tree.UseDir(&d.place, func(at *realfs.Desc) (err error) {
		n, err = at.ListXattr(dest)
		return err
	})
	return n, errnos.Of(err)
}

// Statfs implements fs.NodeStatfser.
func (d *Dir) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno { return d.fsys.statfs(out) }

// OnForget implements fs.NodeOnForgetter. The root is only forgotten with the
// mount.
func (d *Dir) OnForget() {
	if !d.isRoot() {
		d.fsys.forget(d)
	}
}
