package fsnode

import (
	"errors"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// Names in scratch: finding, making and removing what they stand for. A name's
// node is found by its location.

// scratchNode returns the node of a name in scratch.
func (f *fsys) scratchNode(dir *Dir, name string) (node, error) {
	f.tree.Lock()
	defer f.tree.Unlock()
	if n := f.mem.Lookup(dir.named(name)); n != nil {
		return n, nil
	}
	d, err := f.tree.OpenNameLocked(&dir.place, name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return f.nodeOfLocked(d, dir, name)
}

// nodeOfLocked returns the node of an open file, which lies at dir and name. The
// caller has tree for writing.
func (f *fsys) nodeOfLocked(d *realfs.Desc, dir *Dir, name string) (node, error) {
	st, err := d.Stat()
	if err != nil {
		return nil, err
	}
	id, err := f.identifyLocked(d, st, dir, name)
	if err != nil {
		return nil, err
	}
	n := f.nodes.intern(id, func() node { return f.newNodeLocked(id.Mode, dir, name) })
	n.location().NoteName(dir.named(name), st)
	return n, nil
}

// newNodeLocked makes a node of something in a directory. The caller has tree.
func (f *fsys) newNodeLocked(kind uint32, dir *Dir, name string) node {
	switch kind {
	case unix.S_IFREG:
		if dir.readOnly {
			return newReadOnlyFile(f)
		}
		return newScratchFileLocked(f, dir, name)
	case unix.S_IFDIR:
		return newDir(f, nil, dir.readOnly)
	default:
		return &Special{fsys: f, readOnly: dir.readOnly}
	}
}

// ownerIn returns the owner of a new file in a directory: in one that is
// setgid, its group.
func ownerIn(at *realfs.Desc, o realfs.Owner) (realfs.Owner, error) {
	st, err := at.Stat()
	if err != nil {
		return o, err
	}
	if st.Mode&unix.S_ISGID != 0 {
		o.GID = st.Gid
	}
	return o, nil
}

// makeFile makes a regular file in scratch.
func (f *fsys) makeFile(dir *Dir, name string, mode uint32, o realfs.Owner) (*File, error) {
	ino, err := f.world.NewIno()
	if err != nil {
		return nil, err
	}
	inMemory := f.mem.accepts(dir, name)
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	f.tree.Lock()
	defer f.tree.Unlock()
	if f.mem.Lookup(dir.named(name)) != nil {
		return nil, unix.EEXIST
	}
	at, err := f.tree.OpenDirLocked(&dir.place)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if o, err = ownerIn(at, o); err != nil {
		return nil, err
	}
	if inMemory {
		if n, err := f.mem.makeLocked(at, dir, name, ino, mode, o); n != nil || err != nil {
			return n, err
		}
	}
	d, err := realfs.Create(at, name)
	if err != nil {
		return nil, err
	}
	if err := f.initAttrsLocked(d, &dir.place, ino, mode, o); err != nil {
		d.Close()
		_ = unix.Unlinkat(at.FD, name, 0) // the first error is the one to report
		return nil, err
	}
	n := newScratchFileLocked(f, dir, name)
	n.noteCreated()
	n.back.(*backing.Real).Put(d)
	n.location().Add(dir.named(name))
	return f.nodes.renew(fileIdentity(ino), n).(*File), nil
}

// initAttrsLocked gives a file that was just made its number, owner and mode. The
// caller has tree.
func (f *fsys) initAttrsLocked(d *realfs.Desc, dir *place.Dir, ino uint64, mode uint32, o realfs.Owner) error {
	st, err := d.Stat()
	if err != nil {
		return err
	}
	f.storeInoLocked(dir, d, st, ino)
	if o != (realfs.Owner{UID: st.Uid, GID: st.Gid}) {
		if err := d.Chown(o); err != nil {
			return err
		}
	}
	return d.Chmod(mode & 0o7777)
}

// makeOther makes what is no regular file in scratch, with do.
func (f *fsys) makeOther(dir *Dir, name string, mode uint32, o realfs.Owner, do func(*realfs.Desc) error) (node, error) {
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	if err := f.mem.FlushName(dir.named(name)); err != nil {
		return nil, err
	}
	f.tree.Lock()
	defer f.tree.Unlock()
	at, err := f.tree.OpenDirLocked(&dir.place)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if o, err = ownerIn(at, o); err != nil {
		return nil, err
	}
	if err := do(at); err != nil {
		return nil, err
	}
	d, err := realfs.OpenBeneath(at, name, unix.O_PATH, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return f.newNodeForLocked(d, dir, name, mode, o)
}

// newNodeForLocked returns a new node for what was just made, having given it its
// owner and, whatever our own umask, its mode. Whatever had its inode number
// before is gone. The caller has tree for writing.
func (f *fsys) newNodeForLocked(d *realfs.Desc, dir *Dir, name string, mode uint32, o realfs.Owner) (node, error) {
	st, err := d.Stat()
	if err != nil {
		return nil, err
	}
	if err := d.Chown(o); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFLNK {
		if err := d.Chmod(uint32(st.Mode)&0o7000 | mode&0o777); err != nil {
			return nil, err
		}
	}
	id, err := f.identifyLocked(d, st, dir, name)
	if err != nil {
		return nil, err
	}
	n := f.nodes.renew(id, f.newNodeLocked(id.Mode, dir, name))
	n.location().Add(dir.named(name))
	return n, nil
}

// link gives something in scratch one more name.
func (f *fsys) link(n node, dir *Dir, name string) error {
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	if err := f.mem.FlushName(dir.named(name)); err != nil {
		return err
	}
	if file, ok := n.(*File); ok {
		if err := f.mem.flush(file); err != nil {
			return err
		}
	}
	n.lock()
	defer n.unlock()
	if file, ok := n.(*File); ok && file.marks.has(markEntity) {
		return unix.EPERM
	}
	f.tree.Lock()
	defer f.tree.Unlock()
	from, err := f.openLinkedLocked(n)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := f.tree.OpenDirLocked(&dir.place)
	if err != nil {
		return err
	}
	defer to.Close()
	return f.linkatLocked(n, from, to, dir.named(name))
}

// openLinkedLocked opens what is to get one more name, by one that it has or, if none is
// known, by the descriptor that it goes on by. The caller has locked the node, and
// has tree.
func (f *fsys) openLinkedLocked(n node) (*realfs.Desc, error) {
	if file, ok := n.(*File); ok {
		if b, ok := file.back.(*backing.Real); ok {
			return b.OpenLinkedLocked()
		}
	}
	return f.tree.OpenLocked(n.location(), unix.O_PATH)
}

// linkatLocked links an open file, which may have other names than are known. The caller
// has locked its node, and has tree for writing.
func (f *fsys) linkatLocked(n node, from, to *realfs.Desc, p place.Dentry) error {
	if f.tree.IsOrphanLocked(n.location(), from) {
		return unix.ENOENT
	}
	if err := unix.Linkat(unix.AT_FDCWD, from.Magic(), to.FD, p.Name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return err
	}
	st, err := from.Stat()
	if err != nil {
		return err
	}
	n.location().NoteName(p, st)
	f.tree.UnlinkOrphanLocked(n.location())
	if file, ok := n.(*File); ok {
		file.releaseDescLocked()
	}
	return nil
}

// found is what a name in scratch stands for at the moment. The caller has
// namesMu, so it stays so.
type found struct {
	at   *realfs.Desc // O_PATH
	st   *unix.Statx_t
	id   fs.StableAttr
	node node // nil if the kernel does not know it
}

func (x *found) isFile() bool { return x.id.Mode == unix.S_IFREG }

// findLocked looks at a name in scratch. The caller has namesMu, and closes at.
func (f *fsys) findLocked(dir *Dir, name string) (*found, error) {
	if err := f.mem.FlushName(dir.named(name)); err != nil {
		return nil, err
	}
	f.tree.RLock()
	defer f.tree.RUnlock()
	d, err := f.tree.OpenNameLocked(&dir.place, name)
	if err != nil {
		return nil, err
	}
	st, err := d.Stat()
	if err != nil {
		d.Close()
		return nil, err
	}
	id, err := f.identifyLocked(d, st, dir, name)
	if err != nil {
		d.Close()
		return nil, err
	}
	return &found{at: d, st: st, id: id, node: f.nodes.live(id)}, nil
}

// remove takes a name in scratch away. What is open, or otherwise known to the
// kernel, lives on without it.
func (f *fsys) remove(dir *Dir, name string, flags int) error {
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	if flags&unix.AT_REMOVEDIR == 0 && f.mem.removeLocked(dir, name) {
		return nil
	}
	if flags&unix.AT_REMOVEDIR != 0 {
		if err := f.mem.FlushAll(); err != nil {
			return err
		}
	}
	x, err := f.findLocked(dir, name)
	if err != nil {
		return err
	}
	defer x.at.Close()
	return f.replaceNameLocked(x, dir, name, func() error {
		at, err := f.tree.OpenDirLocked(&dir.place)
		if err != nil {
			return err
		}
		defer at.Close()
		return unix.Unlinkat(at.FD, name, flags)
	})
}

// replaceNameLocked has do take away the name of what was found there, with tree for
// writing. If no other name of the node is known, it goes on by descriptor.
func (f *fsys) replaceNameLocked(x *found, dir *Dir, name string, do func() error) error {
	n := x.node
	if n == nil {
		return f.removeNameLocked(x, dir.named(name), do)
	}
	n.lock()
	defer n.unlock()
	if !f.tree.IsLast(n.location(), dir.named(name)) {
		if file, ok := n.(*File); ok {
			file.dropCachedDescLocked() // it may be of the name that goes
		}
		return f.removeNameLocked(x, dir.named(name), do)
	}
	undo, err := f.keepNamelessLocked(n, x)
	if err != nil {
		return err
	}
	if err := f.removeNameLocked(x, dir.named(name), do); err != nil {
		undo()
		return err
	}
	return nil
}

// keepNamelessLocked has a node go on without a name: by a descriptor or, where those are
// scarce, as an orphan. A directory, which cannot be one, then goes on by nothing. The
// caller has locked the node.
func (f *fsys) keepNamelessLocked(n node, x *found) (undo func(), err error) {
	kept, err := x.at.Dup()
	if err == nil && realfs.IsScarce(kept.FD) {
		realfs.EvictCaches()
		kept = kept.Lower()
	}
	switch {
	case err == nil && !realfs.IsScarce(kept.FD):
		n.holdDescLocked(kept)
		return n.releaseDescLocked, nil
	case err == nil:
		kept.Close()
	case !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENFILE):
		return nil, err
	}
	if x.id.Mode == unix.S_IFDIR {
		return func() {}, nil
	}
	return func() { f.tree.UnlinkOrphan(n.location()) }, f.tree.LinkOrphan(n.location(), x.at)
}

// removeNameLocked has do remove a name of what was found there. The caller has namesMu.
func (f *fsys) removeNameLocked(x *found, p place.Dentry, do func() error) error {
	f.tree.Lock()
	defer f.tree.Unlock()
	if err := do(); err != nil {
		return err
	}
	if x.node != nil {
		x.node.location().Drop(p)
	}
	if x.isFile() && x.st.Nlink <= 1 {
		f.inos.Drop(x.st)
	}
	return nil
}
