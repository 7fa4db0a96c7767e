package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/worlddir"
)

// recover is for a world that is not mounted: it finishes what a crash left
// undone and takes in what changed in the plain files.
func (f faces) recover() error {
	if err := os.MkdirAll(f.dir.EntitiesPath(), 0o777); err != nil {
		return fmt.Errorf("make entities directory: %w", err)
	}
	if err := f.relocate(); err != nil {
		return err
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
	return f.moveOut(scratch, append(scratch.others, scratch.entityFiles...), f.dir.ScratchPath(), f.dir.EntitiesPath())
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
	if err != nil || here.empty() {
		return err
	}
	if err := f.moveOut(aside, aside.others, plain, entities); err != nil {
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
	for _, shard := range aside.shards {
		if err := os.Remove(filepath.Join(plain, shard)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("bring plain files back: %w", err)
		}
	}
	return os.Remove(plain)
}
