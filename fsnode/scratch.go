package fsnode

import (
	"errors"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"
)

// Names in scratch: finding, making and removing what they stand for. A name's
// node is found by its location.

// scratchNode returns the node of a name in scratch.
func (f *fsys) scratchNode(dir *Dir, name string) (node, error) {
	f.tree.Lock()
	defer f.tree.Unlock()
	if n := f.mem.lookup(dir, name); n != nil {
		return n, nil
	}
	d, err := f.tree.openNameLocked(dir, name)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return f.nodeOfLocked(d, dir, name)
}

// nodeOfLocked returns the node of an open file, which lies at dir and name. The
// caller has tree for writing.
func (f *fsys) nodeOfLocked(d *desc, dir *Dir, name string) (node, error) {
	st, err := d.stat()
	if err != nil {
		return nil, err
	}
	id, err := f.identifyLocked(d, st, dir, name)
	if err != nil {
		return nil, err
	}
	n := f.nodes.intern(id, func() node { return f.newNodeLocked(id.Mode, dir, name) })
	n.location().noteName(dentry{dir, name}, st)
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
		return &Dir{fsys: f, readOnly: dir.readOnly}
	default:
		return &Special{fsys: f, readOnly: dir.readOnly}
	}
}

// ownerIn returns the owner of a new file in a directory: in one that is
// setgid, its group.
func ownerIn(at *desc, o owner) (owner, error) {
	st, err := at.stat()
	if err != nil {
		return o, err
	}
	if st.Mode&unix.S_ISGID != 0 {
		o.gid = st.Gid
	}
	return o, nil
}

// makeFile makes a regular file in scratch.
func (f *fsys) makeFile(dir *Dir, name string, mode uint32, o owner) (*File, error) {
	ino, err := f.world.NewIno()
	if err != nil {
		return nil, err
	}
	inMemory := f.mem.accepts(dir, name)
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	f.tree.Lock()
	defer f.tree.Unlock()
	if f.mem.lookup(dir, name) != nil {
		return nil, unix.EEXIST
	}
	at, err := f.tree.openDirLocked(dir)
	if err != nil {
		return nil, err
	}
	defer at.close()
	if o, err = ownerIn(at, o); err != nil {
		return nil, err
	}
	if inMemory {
		if n, err := f.mem.makeLocked(at, dir, name, ino, mode, o); n != nil || err != nil {
			return n, err
		}
	}
	d, err := create(at, name)
	if err != nil {
		return nil, err
	}
	if err := f.initAttrsLocked(d, dir, ino, mode, o); err != nil {
		d.close()
		_ = unix.Unlinkat(at.n, name, 0) // the first error is the one to report
		return nil, err
	}
	n := newScratchFileLocked(f, dir, name)
	n.noteCreated()
	f.descs.put(n.back.(*scratchBacking), d)
	n.location().add(dentry{dir, name})
	return f.nodes.renew(fileIdentity(ino), n).(*File), nil
}

// initAttrsLocked gives a file that was just made its number, owner and mode. The
// caller has tree.
func (f *fsys) initAttrsLocked(d *desc, dir *Dir, ino uint64, mode uint32, o owner) error {
	st, err := d.stat()
	if err != nil {
		return err
	}
	f.storeInoLocked(dir, d, st, ino)
	if o != (owner{st.Uid, st.Gid}) {
		if err := d.chown(o); err != nil {
			return err
		}
	}
	return d.chmod(mode & 0o7777)
}

// makeOther makes what is no regular file in scratch, with do.
func (f *fsys) makeOther(dir *Dir, name string, mode uint32, o owner, do func(*desc) error) (node, error) {
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	if err := f.mem.flushName(dir, name); err != nil {
		return nil, err
	}
	f.tree.Lock()
	defer f.tree.Unlock()
	at, err := f.tree.openDirLocked(dir)
	if err != nil {
		return nil, err
	}
	defer at.close()
	if o, err = ownerIn(at, o); err != nil {
		return nil, err
	}
	if err := do(at); err != nil {
		return nil, err
	}
	d, err := openBeneath(at, name, unix.O_PATH, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return f.newNodeForLocked(d, dir, name, mode, o)
}

// newNodeForLocked returns a new node for what was just made, having given it its
// owner and, whatever our own umask, its mode. Whatever had its inode number
// before is gone. The caller has tree for writing.
func (f *fsys) newNodeForLocked(d *desc, dir *Dir, name string, mode uint32, o owner) (node, error) {
	st, err := d.stat()
	if err != nil {
		return nil, err
	}
	if err := d.chown(o); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFLNK {
		if err := d.chmod(uint32(st.Mode)&0o7000 | mode&0o777); err != nil {
			return nil, err
		}
	}
	id, err := f.identifyLocked(d, st, dir, name)
	if err != nil {
		return nil, err
	}
	n := f.nodes.renew(id, f.newNodeLocked(id.Mode, dir, name))
	n.location().add(dentry{dir, name})
	return n, nil
}

// link gives something in scratch one more name.
func (f *fsys) link(n node, dir *Dir, name string) error {
	f.namesMu.Lock()
	defer f.namesMu.Unlock()
	if err := f.mem.flushName(dir, name); err != nil {
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
	from, err := f.tree.openLinkedLocked(n)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := f.tree.openDirLocked(dir)
	if err != nil {
		return err
	}
	defer to.close()
	return f.linkatLocked(n, from, to, dentry{dir, name})
}

// linkatLocked links an open file, which may have other names than are known. The caller
// has locked its node, and has tree for writing.
func (f *fsys) linkatLocked(n node, from, to *desc, p dentry) error {
	if f.tree.isOrphanLocked(n, from) {
		return unix.ENOENT
	}
	if err := unix.Linkat(unix.AT_FDCWD, from.magic(), to.n, p.name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return err
	}
	st, err := from.stat()
	if err != nil {
		return err
	}
	n.location().noteName(p, st)
	f.tree.unlinkOrphanLocked(n)
	if file, ok := n.(*File); ok {
		file.releaseDescLocked()
	}
	return nil
}

// found is what a name in scratch stands for at the moment. The caller has
// namesMu, so it stays so.
type found struct {
	at   *desc // O_PATH
	st   *unix.Statx_t
	id   fs.StableAttr
	node node // nil if the kernel does not know it
}

func (x *found) isFile() bool { return x.id.Mode == unix.S_IFREG }

// findLocked looks at a name in scratch. The caller has namesMu, and closes at.
func (f *fsys) findLocked(dir *Dir, name string) (*found, error) {
	if err := f.mem.flushName(dir, name); err != nil {
		return nil, err
	}
	f.tree.RLock()
	defer f.tree.RUnlock()
	d, err := f.tree.openNameLocked(dir, name)
	if err != nil {
		return nil, err
	}
	st, err := d.stat()
	if err != nil {
		d.close()
		return nil, err
	}
	id, err := f.identifyLocked(d, st, dir, name)
	if err != nil {
		d.close()
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
		if err := f.mem.flushAll(); err != nil {
			return err
		}
	}
	x, err := f.findLocked(dir, name)
	if err != nil {
		return err
	}
	defer x.at.close()
	return f.replaceNameLocked(x, dir, name, func() error {
		at, err := f.tree.openDirLocked(dir)
		if err != nil {
			return err
		}
		defer at.close()
		return unix.Unlinkat(at.n, name, flags)
	})
}

// replaceNameLocked has do take away the name of what was found there, with tree for
// writing. If no other name of the node is known, it goes on by descriptor.
func (f *fsys) replaceNameLocked(x *found, dir *Dir, name string, do func() error) error {
	n := x.node
	if n == nil {
		return f.removeNameLocked(x, dentry{dir, name}, do)
	}
	n.lock()
	defer n.unlock()
	if !f.tree.isLast(n, dentry{dir, name}) {
		if file, ok := n.(*File); ok {
			file.dropCachedDescLocked() // it may be of the name that goes
		}
		return f.removeNameLocked(x, dentry{dir, name}, do)
	}
	undo, err := f.keepNamelessLocked(n, x)
	if err != nil {
		return err
	}
	if err := f.removeNameLocked(x, dentry{dir, name}, do); err != nil {
		undo()
		return err
	}
	return nil
}

// keepNamelessLocked has a node go on without a name: by a descriptor or, where those are
// scarce, as an orphan. A directory, which cannot be one, then goes on by nothing. The
// caller has locked the node.
func (f *fsys) keepNamelessLocked(n node, x *found) (undo func(), err error) {
	kept, err := dup(x.at)
	if err == nil && isScarce(kept.n) {
		caches.evictAll()
		kept = kept.lower()
	}
	switch {
	case err == nil && !isScarce(kept.n):
		n.holdDescLocked(kept)
		return n.releaseDescLocked, nil
	case err == nil:
		kept.close()
	case !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENFILE):
		return nil, err
	}
	if x.id.Mode == unix.S_IFDIR {
		return func() {}, nil
	}
	return func() { f.tree.unlinkOrphan(n) }, f.tree.linkOrphanLocked(n, x)
}

// removeNameLocked has do remove a name of what was found there. The caller has namesMu.
func (f *fsys) removeNameLocked(x *found, p dentry, do func() error) error {
	f.tree.Lock()
	defer f.tree.Unlock()
	if err := do(); err != nil {
		return err
	}
	if x.node != nil {
		x.node.location().drop(p)
	}
	if x.isFile() && x.st.Nlink <= 1 {
		f.inos.drop(x.st)
	}
	return nil
}
