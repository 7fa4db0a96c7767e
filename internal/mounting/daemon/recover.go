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
func (f plainTree) recover() error {
	if err := f.repair(); err != nil {
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
		return f.restore()
	}
	return f.takeIn(here)
}

// crashed reports whether a mount was not ended as it should. The signs are
// taken away last.
func (f plainTree) crashed() bool {
	for _, path := range []string{f.dir.PlainPath(), filepath.Join(f.dir.EntitiesPath(), worlddir.NotMounted)} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// takeIn takes in what changed in the plain files, where there are some, or should
// be.
func (f plainTree) takeIn(here bool) error {
	crashed := f.crashed()
	switch {
	case !here && (crashed || !f.dir.WantsPlain()):
		return nil
	case crashed:
		return f.takeInCheckout()
	}
	if _, err := f.world.TakePlain(); err != nil {
		return fmt.Errorf("take in plain files: %w", err)
	}
	return nil
}

// takeInCheckout is for when entities/ got files of its own while the plain files were
// in .worldfs/plain: after a crash a person checked some or all out. Those are taken
// in. One that is missing was not there to be deleted; it counts as deleted
// only if version control once had it and has it no more. Then all of entities/
// is written as it should be. What is in .worldfs/plain went into the world before
// it went there; so none of it, which may be stale, comes back.
func (f plainTree) takeInCheckout() error {
	entities, scratch := f.dir.EntitiesPath(), f.dir.ScratchPath()
	if f.world.LosesMuch() { // what is there again was not to be deleted
		if err := f.world.ReturnPlain(); err != nil {
			return err
		}
	}
	if err := f.dropPlain(); err != nil {
		return err
	}
	left, err := f.list(scratch)
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
	return f.removePlain()
}

// dropPlain removes the files in .worldfs/plain that the world has, and moves
// to entities/ what else there is: names that are no entities', and files that
// could not be read when they were moved there.
func (f plainTree) dropPlain() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	if _, err := os.Lstat(plain); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := f.world.DropPlain(plain); err != nil {
		return fmt.Errorf("drop plain files that were aside: %w", err)
	}
	left, err := f.list(plain)
	if err != nil {
		return err
	}
	return f.moveOut(left, append(left.others, left.entityFiles...), plain, entities)
}

// Crashed reports whether a mount of the world was not ended as it should and no command
// has recovered from that yet: then what was edited in it is not in entities/. It changes
// nothing.
func Crashed(dir *worlddir.Dir) bool {
	client, err := Mounted(dir)
	if client != nil || err != nil || !(plainTree{dir: dir}).crashed() {
		return false
	}
	unlock, err := dir.Lock()
	if err != nil {
		return false // a command that has the world, such as a mount, is about to
	}
	unlock()
	return true
}
