package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	if err := f.relocate(); err != nil {
		return err
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
	if !c.empty() {
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
	return f.moveOut(c, c.others, f.dir.PlainPath(), f.dir.ScratchPath())
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
	for _, dir := range []string{f.dir.EntitiesPath(), f.dir.StatePath(), f.dir.Place()} {
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
	if err := f.relocate(); err != nil {
		return err
	}
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
	if !missing || wanted || !scratch.empty() {
		if err := f.fillAside(wanted, scratch); err != nil {
			return err
		}
	}
	return f.swapBack()
}

// fillAside brings .worldfs/plain up to date.
func (f faces) fillAside(wanted bool, scratch contents) error {
	plain := f.dir.PlainPath()
	if err := os.Mkdir(plain, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if wanted {
		if _, err := f.world.WritePlain(plain, false); err != nil {
			return fmt.Errorf("bring plain files back: %w", err)
		}
	}
	return f.moveOut(scratch, append(scratch.others, scratch.entityFiles...), f.dir.ScratchPath(), plain)
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
	return errors.Join(f.disk.SyncDir("plain files", f.dir.Place()), f.disk.SyncDir("plain files", f.dir.StatePath()))
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
