package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/worlddir"
)

// faces changes a world between its two faces: plain files in entities/, and
// the mount there.
//
// Mounting takes the plain files in and moves them aside, in one rename, to
// .worldfs/plain; names that are no entities' go on to .worldfs/scratch, where
// the mount shows them. Unmounting brings .worldfs/plain up to date while
// nobody sees it and then moves it back. So after a crash the files are
// missing and never stale: a stale file would be committed over a teammate's
// work.
type faces struct {
	dir   *worlddir.Dir
	world *cache.World
	disk  disk.Disk
}

const notMountedText = `This world is not mounted.

Its entities appear here as files when it is:

    worldfs mount

They are safe: worldfs keeps them in world.pack and .worldfs, beside this
directory. If they should be here without a mount, another worldfs command,
such as worldfs status, brings them back after a crash.
`

// aside makes entities/ ready to be mounted over.
func (f faces) aside() error {
	if err := os.MkdirAll(f.dir.EntitiesPath(), 0o777); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	if err := f.mergeBack(); err != nil {
		return err
	}
	if err := f.finishMove(); err != nil {
		return err
	}
	c, err := f.look(f.dir.EntitiesPath())
	if err != nil {
		return err
	}
	if c.entities {
		if _, err := f.world.TakePlain(); err != nil {
			return fmt.Errorf("take in plain files: %w", err)
		}
	}
	if c.entities || len(c.others) > 0 {
		if err := f.moveAside(); err != nil {
			return err
		}
	}
	return f.placeNote()
}

// moveAside renames entities/ to .worldfs/plain and makes it anew.
func (f faces) moveAside() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	info, err := os.Stat(entities)
	if err != nil {
		return fmt.Errorf("move plain files aside: %w", err)
	}
	if err := removeNote(entities); err != nil {
		return err
	}
	if err := f.disk.RenameNew("plain files", entities, plain); err != nil {
		return fmt.Errorf("move plain files aside: %w", err)
	}
	if err := os.Mkdir(entities, info.Mode().Perm()); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	return f.finishMove()
}

// finishMove moves on, from .worldfs/plain to .worldfs/scratch, what are no
// entities' files.
func (f faces) finishMove() error {
	c, err := f.look(f.dir.PlainPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.moveAll(c.others, f.dir.PlainPath(), f.dir.ScratchPath())
}

// placeNote puts NOT-MOUNTED.txt into entities/ and makes all durable.
func (f faces) placeNote() error {
	info, err := os.Stat(f.dir.EntitiesPath())
	if err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	// The mount's own mode is that of scratch/; it should be what it is without
	// the mount. The directory above stays closed.
	if err := os.Chmod(f.dir.ScratchPath(), info.Mode().Perm()); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	note := filepath.Join(f.dir.EntitiesPath(), worlddir.NotMounted)
	if err := os.WriteFile(note, []byte(notMountedText), 0o644); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	for _, dir := range []string{f.dir.EntitiesPath(), f.dir.StatePath(), f.dir.Root} {
		if err := f.disk.SyncDir("plain files", dir); err != nil {
			return err
		}
	}
	return nil
}

// back brings the plain files back after the mount: brings them up to date
// where they are wanted, then makes them entities/. Where nothing was moved
// aside and no plain files are wanted, it only removes the note.
func (f faces) back() error {
	scratch, err := f.look(f.dir.ScratchPath())
	if err != nil {
		return err
	}
	aside, err := f.look(f.dir.PlainPath())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	wanted := f.dir.WantsPlain() || aside.entities
	names := append(scratch.others, scratch.entityFiles...)
	if !missing || wanted || len(names) > 0 {
		if err := f.fillAside(wanted, names); err != nil {
			return err
		}
	}
	return f.swapBack()
}

// fillAside brings .worldfs/plain up to date.
func (f faces) fillAside(wanted bool, scratch []string) error {
	plain := f.dir.PlainPath()
	if err := os.Mkdir(plain, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if wanted {
		if _, err := f.world.WritePlain(plain, false); err != nil {
			return fmt.Errorf("bring plain files back: %w", err)
		}
	}
	return f.moveAll(scratch, f.dir.ScratchPath(), plain)
}

// swapBack makes .worldfs/plain, where there is one, entities/ again.
func (f faces) swapBack() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	if err := removeNote(entities); err != nil {
		return err
	}
	if _, err := os.Lstat(plain); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := os.Remove(entities) // a directory only if it is empty
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.mergeBack() // someone put files there
	}
	if err := f.disk.RenameNew("plain files", plain, entities); err != nil {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	return errors.Join(f.disk.SyncDir("plain files", f.dir.Root), f.disk.SyncDir("plain files", f.dir.StatePath()))
}

// recover is for a world that is not mounted: it finishes what a crash left
// undone and takes in what changed in the plain files.
func (f faces) recover() error {
	if err := os.MkdirAll(f.dir.EntitiesPath(), 0o777); err != nil {
		return fmt.Errorf("make entities directory: %w", err)
	}
	here, err := f.look(f.dir.EntitiesPath())
	if err != nil {
		return err
	}
	if here.entities {
		err = f.gather()
	} else if f.crashed() {
		err = f.back()
	}
	if err != nil {
		return err
	}
	if here, err = f.look(f.dir.EntitiesPath()); err != nil || !here.entities {
		return err
	}
	if _, err := f.world.TakePlain(); err != nil {
		return fmt.Errorf("take in plain files: %w", err)
	}
	return nil
}

// gather brings to entities/, where there are plain files, what a crash left
// elsewhere.
func (f faces) gather() error {
	if err := f.mergeBack(); err != nil {
		return err
	}
	scratch, err := f.look(f.dir.ScratchPath())
	if err != nil {
		return err
	}
	if err := removeNote(f.dir.EntitiesPath()); err != nil {
		return err
	}
	return f.moveAll(append(scratch.others, scratch.entityFiles...), f.dir.ScratchPath(), f.dir.EntitiesPath())
}

// crashed reports whether a mount was not ended as it should.
func (f faces) crashed() bool {
	for _, path := range []string{f.dir.PlainPath(), filepath.Join(f.dir.EntitiesPath(), worlddir.NotMounted)} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// refresh writes the plain files that the world has changed since, where plain
// files are wanted or there are some.
func (f faces) refresh() error {
	here, err := f.look(f.dir.EntitiesPath())
	if err != nil {
		return err
	}
	if !f.dir.WantsPlain() && !here.entities {
		return nil
	}
	if _, err := f.world.WritePlain("", false); err != nil {
		return fmt.Errorf("write plain files: %w", err)
	}
	return nil
}

// mergeBack is for when entities/ got files of its own while the plain files
// were aside: after a crash someone may have checked them out anew. What lies
// in entities/ is newer and stays; what it lacks comes back from .worldfs/plain
// as it was, and the caller takes in what differs from then.
func (f faces) mergeBack() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	aside, err := f.look(plain)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	here, err := f.look(entities)
	if err != nil || !here.entities && len(here.others) == 0 {
		return err
	}
	if err := f.moveAll(aside.others, plain, entities); err != nil {
		return err
	}
	for _, name := range aside.entityFiles {
		err := f.disk.RenameNew("plain file", filepath.Join(plain, name), filepath.Join(entities, name))
		if errors.Is(err, fs.ErrExist) {
			err = os.Remove(filepath.Join(plain, name)) // the world has had it since it went aside
		}
		if err != nil {
			return fmt.Errorf("bring plain files back: %w", err)
		}
	}
	if err := removeNote(entities); err != nil {
		return err
	}
	return os.Remove(plain)
}

// moveAll moves names from one directory to another. One that is taken there
// gets another name: nothing is lost.
func (f faces) moveAll(names []string, from, to string) error {
	for _, name := range names {
		target := filepath.Join(to, name)
		err := f.disk.RenameNew("file", filepath.Join(from, name), target)
		for errors.Is(err, fs.ErrExist) {
			if same(filepath.Join(from, name), target) {
				err = os.Remove(filepath.Join(from, name))
				break
			}
			target += "~"
			err = f.disk.RenameNew("file", filepath.Join(from, name), target)
		}
		if err != nil {
			return fmt.Errorf("move %s to %s: %w", name, to, err)
		}
	}
	return nil
}

// same reports whether both are ordinary files with the same bytes.
func same(a, b string) bool {
	for _, path := range []string{a, b} {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	x, errX := os.ReadFile(a)
	y, errY := os.ReadFile(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func removeNote(dir string) error {
	err := os.Remove(filepath.Join(dir, worlddir.NotMounted))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ownPrefix begins the names that the mount keeps for itself in scratch/.
const ownPrefix = ".worldfs-"

// contents is what a directory of plain files holds, but for NOT-MOUNTED.txt.
type contents struct {
	entities    bool     // there are entities' files
	entityFiles []string // their names
	others      []string
}

func (f faces) look(dir string) (c contents, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return c, fmt.Errorf("read plain files: %w", err)
	}
	for _, e := range entries {
		switch {
		case isEntityFile(e):
			c.entities = true
			c.entityFiles = append(c.entityFiles, e.Name())
		case e.Name() != worlddir.NotMounted && !strings.HasPrefix(e.Name(), ownPrefix):
			c.others = append(c.others, e.Name())
		}
	}
	return c, nil
}

func isEntityFile(e fs.DirEntry) bool {
	_, ok := cache.ParseFileName(e.Name())
	return ok && e.Type().IsRegular()
}
