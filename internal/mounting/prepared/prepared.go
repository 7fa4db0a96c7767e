// Package prepared puts files that were made ready in the moving directory into their places
// in a mount.
//
// What it guarantees: a prepared file is durable before it has a name, and its name is before
// what it was made from goes. Where either fails it is as before. Its inode number is on no
// file meanwhile, so that no crash leaves it on two.
package prepared

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/place"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Files makes and places prepared files.
type Files struct {
	scratch *realfs.Scratch
	inos    *realfs.Inos
	tree    *place.Tree
}

// New returns the prepared files of a mount.
func New(scratch *realfs.Scratch, inos *realfs.Inos, tree *place.Tree) *Files {
	return &Files{scratch, inos, tree}
}

// Make writes a durable file for an entity's text, with its attributes and,
// for now only in memory, its inode number.
func (f *Files) Make(a fileattr.Attr, text []byte) (*realfs.Prepared, error) {
	m, err := f.scratch.Prepare(a, text)
	if err != nil {
		return nil, err
	}
	f.inos.Unstore(m.Desc, m.Stat, a.Ino)
	return m, nil
}

// Discard takes back what Make made.
func (f *Files) Discard(m *realfs.Prepared) {
	f.inos.Drop(m.Stat)
	f.scratch.Discard(m)
}

// Put puts a prepared file where nothing is, or in exchange for what is there, and has done
// take the source away. The caller keeps names from changing.
func (f *Files) Put(m *realfs.Prepared, to place.Dentry, flags uint, done func() error) error {
	f.tree.Lock()
	err := f.RenameLocked(m, to, flags)
	f.tree.Unlock()
	if err != nil {
		return err
	}
	return f.Confirm(m, to, flags, done)
}

// RenameLocked renames a prepared file into its place. The caller has the tree for
// writing, and confirms it afterwards.
func (f *Files) RenameLocked(m *realfs.Prepared, to place.Dentry, flags uint) error {
	at, err := f.tree.OpenDirLocked(to.Dir)
	if err != nil {
		return err
	}
	defer at.Close()
	return f.scratch.MoveOut(m, at, to.Name, flags)
}

// Confirm makes the file's new name durable and has done take the source away.
// If either fails the file goes back to the moving directory.
func (f *Files) Confirm(m *realfs.Prepared, to place.Dentry, flags uint, done func() error) error {
	err := f.tree.UseDir(to.Dir, realfs.SyncDir)
	if err == nil {
		err = done()
	}
	if err == nil {
		return nil
	}
	return errors.Join(err, f.TakeBack(m, to, flags))
}

// PutBeside puts a prepared file where nothing is, under its name or, if something has that,
// under one beside it, which it returns.
func (f *Files) PutBeside(m *realfs.Prepared, to place.Dentry) (name string, err error) {
	for ; ; to.Name += "~" {
		err := f.Put(m, to, unix.RENAME_NOREPLACE, func() error { return nil })
		if !errors.Is(err, unix.EEXIST) {
			return to.Name, err
		}
	}
}

// TakeBack undoes Put.
func (f *Files) TakeBack(m *realfs.Prepared, from place.Dentry, flags uint) error {
	return f.tree.UseDir(from.Dir, func(at *realfs.Desc) error {
		return f.scratch.TakeBack(m, at, from.Name, flags)
	})
}
