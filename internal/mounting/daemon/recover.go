package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// recover is for a world that is not mounted: it finishes what a crash left
// undone and takes in what changed in the plain files.
func (f faces) recover() error {
	if err := f.settle(); err != nil {
		return err
	}
	if err := f.reclaim(); err != nil {
		return err
	}
	here, err := f.hasEntities(f.dir.EntitiesPath())
	if err != nil {
		return err
	}
	if f.crashed() && !here {
		return f.back()
	}
	return f.takeIn(here)
}

// crashed reports whether a mount was not ended as it should. The signs are
// taken away last.
func (f faces) crashed() bool {
	for _, path := range []string{f.dir.PlainPath(), filepath.Join(f.dir.EntitiesPath(), worlddir.NotMounted)} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// takeIn takes in what changed in the plain files, where there are some, or should
// be.
func (f faces) takeIn(here bool) error {
	crashed := f.crashed()
	switch {
	case !here && (crashed || !f.dir.WantsPlain()):
		return nil
	case crashed:
		return f.gather()
	}
	if _, err := f.world.TakePlain(); err != nil {
		return fmt.Errorf("take in plain files: %w", err)
	}
	return nil
}

// gather is for when entities/ got files of its own while the plain files were
// aside: after a crash a person checked some or all of them out. Those are taken
// in. One that is missing was not there to be deleted; it counts as deleted
// only if version control once had it and has it no more. Then all of entities/
// is written as it should be. What was aside went into the world before it
// went there; so none of it, which may be stale, comes back.
func (f faces) gather() error {
	entities, scratch := f.dir.EntitiesPath(), f.dir.ScratchPath()
	if f.world.LosesMuch() { // what is there again was not to be deleted
		if err := f.world.ReturnPlain(); err != nil {
			return err
		}
	}
	if err := f.dropAside(); err != nil {
		return err
	}
	left, err := f.look(scratch)
	if err != nil {
		return err
	}
	if err := f.moveOut(left, append(left.others, left.entityFiles...), scratch, entities); err != nil {
		return err
	}
	if _, err := f.world.TakeCheckout(f.dir.Dropped); err != nil {
		return fmt.Errorf("take in plain files: %w", err)
	}
	if _, err := f.world.WritePlain("", false); err != nil {
		return err // it says what was done
	}
	if err := f.syncAll(); err != nil {
		return err
	}
	if err := removeNote(entities); err != nil {
		return err
	}
	if _, err := os.Lstat(f.dir.PlainPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return f.removeAside()
}

// dropAside removes the files in .worldfs/plain that the world has, and moves
// to entities/ what else there is: names that are no entities', and files that
// could not be read when they went aside.
func (f faces) dropAside() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	if _, err := os.Lstat(plain); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := f.world.DropPlain(plain); err != nil {
		return fmt.Errorf("drop plain files that were aside: %w", err)
	}
	left, err := f.look(plain)
	if err != nil {
		return err
	}
	return f.moveOut(left, append(left.others, left.entityFiles...), plain, entities)
}
