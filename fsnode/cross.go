package fsnode

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// Renames across the boundary between entities and scratch. The name of what
// is moved goes only after it is durable at its destination, so a crash may
// leave a file under both names but never under none. During the move the inode
// number is on neither file in scratch, so that no crash leaves it on two.

// moveOutLocked makes a scratch file of an entity. The caller has namesMu.
func (f *fsys) moveOutLocked(id entity.ID, to end, noReplace bool) error {
	src, err := f.liveEntity(id)
	if err != nil {
		return err
	}
	src.lock()
	defer src.unlock()
	b, ok := src.back.(backing.Entity)
	if !ok {
		return unix.ESTALE
	}
	a, err := b.File.Attr()
	if err != nil {
		return err
	}
	text, err := b.File.Text()
	if err != nil {
		return err
	}
	m, err := f.prepared.Make(a, text)
	if err != nil {
		return err
	}
	if err := f.installLocked(m, to, noReplace, func() error { return f.removeEntity(id, b.File) }); err != nil {
		f.prepared.Discard(m)
		return err
	}
	f.becomeScratchLocked(src, m, to, a.Ino)
	return nil
}

// removeEntity takes away an entity that is durable in scratch. If only that cannot be
// made durable, a crash would leave it under both names; the next fsync says so.
func (f *fsys) removeEntity(id entity.ID, file *cache.File) error {
	err := f.world.Leave(id)
	if err != nil && file.ID() == 0 {
		f.log.Warn("that an entity was renamed away is not durable yet", "id", id, "error", err)
		return nil
	}
	return err
}

// becomeScratchLocked puts the prepared file, now in its place, behind a node whose
// entity has left. The caller has locked the node.
func (f *fsys) becomeScratchLocked(n *File, m *realfs.Prepared, to end, ino uint64) {
	f.tree.Lock()
	n.location().Clear()
	n.location().Add(to.dir.named(to.name))
	f.storeInoLocked(&to.dir.place, m.Desc, m.Stat, ino)
	f.tree.Unlock()
	b := backing.NewReal(f.tree, n.location())
	n.setBackingLocked(b)
	b.Put(m.Desc)
}

// installLocked puts a prepared file in its place, in place of what is there. Then it
// has done take the source away, and if that fails puts everything back. The caller has
// namesMu and has locked the node that moves.
func (f *fsys) installLocked(m *realfs.Prepared, to end, noReplace bool, done func() error) error {
	x, err := f.findLocked(to.dir, to.name)
	if errors.Is(err, unix.ENOENT) {
		return f.prepared.Put(m, to.dentry(), unix.RENAME_NOREPLACE, done)
	}
	if err != nil {
		return err
	}
	defer x.at.Close()
	switch {
	case noReplace:
		return unix.EEXIST
	case x.id.Mode == unix.S_IFDIR:
		return unix.EISDIR
	}
	err = f.replaceNameLocked(x, to.dir, to.name, func() error { return f.prepared.RenameLocked(m, to.dentry(), unix.RENAME_EXCHANGE) })
	if err == nil {
		err = f.prepared.Confirm(m, to.dentry(), unix.RENAME_EXCHANGE, done)
	}
	if err == nil {
		f.scratch.ClearPrepared(m) // what was there before
	}
	return err
}

// liveScratchLocked finds a scratch file that is to become an entity. The caller has
// namesMu, and closes what was found.
func (f *fsys) liveScratchLocked(at end) (*found, *File, error) {
	x, err := f.findLocked(at.dir, at.name)
	if err != nil {
		return nil, nil, err
	}
	n, ok := x.node.(*File)
	switch {
	case !x.isFile():
		err = unix.EPERM // an entity is a regular file
	case !ok || n.marks.has(markEntity):
		err = unix.ESTALE
	case x.st.Nlink > 1, n.extra.look().direct:
		err = unix.EXDEV // its other names, or what is open, cannot follow it
	}
	if err != nil {
		x.at.Close()
		return nil, nil, err
	}
	return x, n, nil
}

// moveInLocked makes an entity of a scratch file. One that was made just now, as sed,
// rsync or svn make a temporary file to rename, and that was not synced, need
// not become durable by its rename: on any filesystem a crash may take it. The caller
// has namesMu.
func (f *fsys) moveInLocked(from end, id entity.ID, noReplace bool) error {
	if n := f.mem.Lookup(from.dentry()); n != nil {
		if done, err := f.moveInFromMemoryLocked(n, id, noReplace); done {
			return err
		}
	}
	x, n, err := f.liveScratchLocked(from)
	if err != nil {
		return err
	}
	defer x.at.Close()
	n.lock()
	defer n.unlock()
	a, text, err := f.contentsLocked(n)
	if err != nil {
		return err
	}
	ino, undo, err := f.transferInoLocked(n, x, from.dir)
	if err != nil {
		return err
	}
	a.Ino = ino
	file, err := f.takeIn(n)(id, a, text, noReplace)
	if err != nil {
		undo()
		return err
	}
	f.unnameLocked(x, from)
	f.becomeEntityLocked(n, file)
	return nil
}

// takeIn is how the world takes in what a scratch file held: so that it is
// durable, or as the edit that it is.
func (f *fsys) takeIn(n *File) func(entity.ID, cache.Attr, []byte, bool) (*cache.File, error) {
	if n.isVolatile() {
		return f.world.AdoptSoon
	}
	return f.world.Adopt
}

// moveInFromMemoryLocked is moveInLocked for a file that is in memory only; done tells
// that it was one. The caller has namesMu.
func (f *fsys) moveInFromMemoryLocked(n *File, id entity.ID, noReplace bool) (done bool, err error) {
	n.lock()
	defer n.unlock()
	b, ok := n.back.(*backing.Memory)
	if !ok {
		return false, nil // it was flushed meanwhile
	}
	a, text := b.Contents()
	a.Ctime = cache.FileTime(a.Ctime)
	file, err := f.takeIn(n)(id, a, bytes.Clone(text), noReplace)
	if err != nil {
		return true, err
	}
	f.tree.Lock()
	f.mem.DropLocked(n, b, n.location().Dentry)
	f.tree.Unlock()
	f.becomeEntityLocked(n, file)
	return true, nil
}

// unnameLocked removes the name of a scratch file that has become an entity. The caller
// has namesMu.
func (f *fsys) unnameLocked(x *found, from end) {
	err := f.removeNameLocked(x, from.dir.named(from.name), func() error {
		at, err := f.tree.OpenDirLocked(&from.dir.place)
		if err != nil {
			return err
		}
		defer at.Close()
		return unix.Unlinkat(at.FD, from.name, 0)
	})
	if err != nil {
		// The entity is durable and in its place. A copy that stays is no loss.
		f.inos.Drop(x.st)
		f.log.Warn("a file that was renamed to an entity's name stays as a copy", "name", from.name, "error", err)
	}
}

// becomeEntityLocked puts an entity behind a node. The caller has locked the node.
func (f *fsys) becomeEntityLocked(n *File, file *cache.File) {
	n.closeDescsLocked()
	f.tree.Lock()
	n.location().Clear()
	f.tree.Unlock()
	n.noteDurable()
	n.setBackingLocked(backing.Entity{File: file})
}

// contentsLocked reads a scratch file whole, with the attributes, but for the inode
// number, that it will have as an entity. The caller has locked it.
func (f *fsys) contentsLocked(n *File) (cache.Attr, []byte, error) {
	b := n.back.(*backing.Real)
	var a cache.Attr
	var text []byte
	err := b.Use(unix.O_RDONLY, func(d *realfs.Desc) (err error) {
		a, text, err = d.ReadWhole()
		return err
	})
	return a, text, err
}

// swapAcrossLocked exchanges an entity and a scratch file. The scratch file's text
// waits in the moving directory, under a name that a crash leaves alone, until
// it is durable as the entity's. The caller has namesMu.
func (f *fsys) swapAcrossLocked(id entity.ID, at end) error {
	ent, err := f.liveEntity(id)
	if err != nil {
		return err
	}
	x, scr, err := f.liveScratchLocked(at)
	if err != nil {
		return err
	}
	defer x.at.Close()
	defer lockBoth(ent, scr)()
	b, ok := ent.back.(backing.Entity)
	if !ok {
		return unix.ESTALE
	}
	was, err := b.File.Attr()
	if err != nil {
		return err
	}
	text, err := b.File.Text()
	if err != nil {
		return err
	}
	m, err := f.prepared.Make(was, text)
	if err != nil {
		return err
	}
	file, err := f.exchangeContentsLocked(m, x, scr, id, at)
	if err != nil {
		f.prepared.Discard(m)
		return err
	}
	f.becomeEntityLocked(scr, file)
	f.becomeScratchLocked(ent, m, at, was.Ino)
	return nil
}

// exchangeContentsLocked puts a prepared file in a scratch file's place, and the scratch file's
// contents in the entity's. The caller has namesMu and has locked both files.
func (f *fsys) exchangeContentsLocked(m *realfs.Prepared, x *found, scr *File, id entity.ID, at end) (*cache.File, error) {
	a, text, err := f.contentsLocked(scr)
	if err != nil {
		return nil, err
	}
	if err := f.scratch.MarkOnly(m); err != nil {
		return nil, err
	}
	var undo func()
	if a.Ino, undo, err = f.transferInoLocked(scr, x, at.dir); err != nil {
		return nil, err
	}
	var file *cache.File
	err = f.prepared.Put(m, at.dentry(), unix.RENAME_EXCHANGE, func() (err error) {
		file, err = f.world.Adopt(id, a, text, false)
		return err
	})
	if err != nil {
		undo()
		return nil, err
	}
	f.inos.Drop(x.st)
	f.scratch.ClearPrepared(m)
	return file, nil
}

// lockBoth locks two files in the one order that all use.
func lockBoth(a, b *File) (unlock func()) {
	if a.StableAttr().Ino > b.StableAttr().Ino {
		a, b = b, a
	}
	a.lock()
	b.lock()
	return func() {
		b.unlock()
		a.unlock()
	}
}
