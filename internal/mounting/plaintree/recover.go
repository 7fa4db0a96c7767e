package plaintree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Recover is for a world that is not mounted: it finishes what a crash left
// undone and takes in what changed in the plain files.
func (t Tree) Recover() error {
	if err := t.mend(); err != nil {
		return err
	}
	here, err := t.HasEntities(t.Dir.EntitiesPath())
	if err != nil {
		return err
	}
	if t.Crashed() && !here {
		return t.Restore()
	}
	return t.takeIn(here)
}

// mend finishes what was left half done of entities/ itself and of a checkout across a
// change of shard.
func (t Tree) mend() error {
	was, err := t.World.PlainLayout()
	if err != nil {
		return err
	}
	if err := t.repair(); err != nil {
		return err
	}
	return t.reclaim(was)
}

// Crashed reports whether a mount was not ended as it should. The signs are
// taken away last.
func (t Tree) Crashed() bool {
	for _, path := range []string{t.Dir.PlainPath(), filepath.Join(t.Dir.EntitiesPath(), worlddir.NotMounted)} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// takeIn takes in what changed in the plain files, where there are some, or should
// be.
func (t Tree) takeIn(here bool) error {
	crashed := t.Crashed()
	switch {
	case !here && (crashed || !t.Dir.WantsPlain()):
		return nil
	case crashed:
		return t.takeInCheckout()
	}
	if _, err := t.World.TakePlain(); err != nil {
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
func (t Tree) takeInCheckout() error {
	entities, scratch := t.Dir.EntitiesPath(), t.Dir.ScratchPath()
	if t.World.LosesMuch() { // what is there again was not to be deleted
		if err := t.World.ReturnPlain(); err != nil {
			return err
		}
	}
	here, err := t.list(entities)
	if err != nil {
		return err
	}
	if err := t.dropPlain(); err != nil {
		return err
	}
	left, err := t.list(scratch)
	if err != nil {
		return err
	}
	if err := t.moveOut(left, append(left.others, left.entityFiles...), scratch, entities); err != nil {
		return err
	}
	taken, err := t.World.TakeCheckout(t.Dir.Dropped)
	if err != nil {
		return fmt.Errorf("take in plain files: %w", err)
	}
	t.noteBeneath(here.others, taken)
	if _, err := t.World.WritePlain("", false); err != nil {
		return err // it says what was done
	}
	if err := t.syncAll(); err != nil {
		return err
	}
	if err := removeNote(entities); err != nil {
		return err
	}
	if _, err := os.Lstat(t.Dir.PlainPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return t.removePlain()
}

// dropPlain removes the files in .worldfs/plain that the world has, and moves
// to entities/ what else there is: names that are no entities', and files that
// could not be read when they were moved there.
func (t Tree) dropPlain() error {
	entities, plain := t.Dir.EntitiesPath(), t.Dir.PlainPath()
	if _, err := os.Lstat(plain); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := t.World.DropPlain(plain); err != nil {
		return fmt.Errorf("drop plain files that were aside: %w", err)
	}
	left, err := t.list(plain)
	if err != nil {
		return err
	}
	return t.moveOut(left, append(left.others, left.entityFiles...), plain, entities)
}
