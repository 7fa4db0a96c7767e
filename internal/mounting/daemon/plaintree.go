package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// plainTree swaps the two forms in which entities/ shows a world: plain files, and
// the mount.
//
// Mounting takes the plain files in and moves them to .worldfs/plain, by exchanging
// the directory with a new one; names that are no entities' go on
// to .worldfs/scratch, which is then hidden beneath the mountpoint. Unmounting
// brings .worldfs/plain up to date while no program sees it and then exchanges it
// with entities/ again, which is there at every instant. So after a crash the
// files are missing and never stale: a stale file would be committed over a
// teammate's work.
type plainTree struct {
	dir   *worlddir.Dir
	world *cache.World
	disk  disk.Disk

	// covered says that the mount covers the world directory. No program reaches
	// .worldfs then, and scratch need not be hidden.
	covered bool
}

// scratch returns where the scratch directory is while the world is mounted.
func (f plainTree) scratch() string {
	if f.covered {
		return f.dir.ScratchPath()
	}
	return f.dir.HiddenScratchPath()
}

const notMountedText = `This world is not mounted.

Its entities appear here as files when it is:

    worldfs mount

They are safe: worldfs keeps them in world.pack and .worldfs, beside this
directory. If they should be here without a mount, another worldfs command,
such as worldfs status, brings them back after a crash.
`

// repair finishes what was left half done of entities/ itself: that it is there,
// that no scratch is hidden in it, and that its files lie where the layout says.
func (f plainTree) repair() error {
	for _, step := range []func() error{f.makeEntities, f.unhide, f.makeScratch, f.relocate} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes entities/ ready to be mounted over.
func (f plainTree) prepare() error {
	if err := f.repair(); err != nil {
		return err
	}
	if err := f.reclaim(); err != nil {
		return err
	}
	c, err := f.list(f.dir.EntitiesPath())
	if err != nil {
		return err
	}
	if err := f.takeIn(c.entities); err != nil {
		return err
	}
	if err := f.finishMove(); err != nil {
		return err
	}
	if err := resemble(f.dir.ScratchPath(), f.dir.EntitiesPath()); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	if c.entities {
		err = f.moveToPlain()
	} else {
		err = f.moveOthers(c)
	}
	if err != nil {
		return err
	}
	if !f.covered {
		if err := f.hide(); err != nil {
			return err
		}
	}
	return f.syncAll()
}

// makeEntities makes entities/ where it is missing. What a repository may have
// brought instead is refused: a symlink leads anywhere.
func (f plainTree) makeEntities() error {
	path := f.dir.EntitiesPath()
	err := os.Mkdir(path, 0o777)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make entities directory: %w", err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("look at entities directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory (symlinks are not followed); move it away", path)
	}
	return f.checkShards()
}

// checkShards refuses symlinks in the place of shards likewise.
func (f plainTree) checkShards() error {
	l := f.world.Layout()
	if !l.Sharded() {
		return nil
	}
	entries, err := os.ReadDir(f.dir.EntitiesPath())
	if err != nil {
		return fmt.Errorf("look at entities directory: %w", err)
	}
	for _, e := range entries {
		if _, shard := l.ParseShard(e.Name()); shard && e.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is not a directory (symlinks are not followed); move it away",
				filepath.Join(f.dir.EntitiesPath(), e.Name()))
		}
	}
	return nil
}

// moveToPlain exchanges entities/ with a new directory, .worldfs/plain.
func (f plainTree) moveToPlain() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	err := os.Mkdir(plain, 0o700)
	if err == nil {
		err = resemble(plain, entities)
	}
	if err == nil {
		err = placeNote(plain)
	}
	if err == nil {
		err = f.exchange(entities, plain)
	}
	if err != nil {
		return fmt.Errorf("move plain files aside: %w", err)
	}
	if err := removeNote(plain); err != nil {
		return fmt.Errorf("move plain files aside: %w", err)
	}
	return f.finishMove()
}

// moveOthers moves to scratch what lies in entities/ beside no entity. The note,
// which says that it did, comes first.
func (f plainTree) moveOthers(c contents) error {
	if err := placeNote(f.dir.EntitiesPath()); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	return f.moveOut(c, c.others, f.dir.EntitiesPath(), f.dir.ScratchPath())
}

// exchange swaps two directories in one instant where the file system can.
func (f plainTree) exchange(a, b string) error {
	err := f.disk.Exchange("plain files", a, b)
	if err == nil || !disk.IsUnsupported(err) {
		return err
	}
	between := disk.Beside(b, "moving")
	if err := f.disk.RenameNew("plain files", b, between); err != nil {
		return err
	}
	if err := f.disk.RenameNew("plain files", a, b); err != nil {
		return errors.Join(err, f.disk.RenameNew("plain files", between, b))
	}
	return f.disk.RenameNew("plain files", between, a)
}

// finishMove moves on, from .worldfs/plain to .worldfs/scratch, what are no
// entities' files.
func (f plainTree) finishMove() error {
	c, err := f.list(f.dir.PlainPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.moveOut(c, c.others, f.dir.PlainPath(), f.dir.ScratchPath())
}

// hide puts the scratch directory beneath the mountpoint.
func (f plainTree) hide() error {
	err := f.disk.RenameNew("scratch files", f.dir.ScratchPath(), f.dir.HiddenScratchPath())
	if err != nil {
		return fmt.Errorf("hide scratch files: %w", err)
	}
	return nil
}

// unhide brings the scratch directory back from beneath the mountpoint.
func (f plainTree) unhide() error {
	hidden, scratch := f.dir.HiddenScratchPath(), f.dir.ScratchPath()
	info, err := os.Lstat(hidden)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory (symlinks are not followed); move it away", hidden)
	}
	if err == nil {
		err = f.disk.Exchange("scratch files", hidden, scratch)
	}
	if errors.Is(err, fs.ErrNotExist) || disk.IsUnsupported(err) {
		_ = os.Remove(scratch) // only if it is empty
		err = f.disk.RenameNew("scratch files", hidden, scratch)
	}
	if err != nil {
		return fmt.Errorf("bring scratch files back: %w", err)
	}
	return f.emptyHidden()
}

// makeScratch makes the scratch directory where it is missing: on a full disk the
// world may have been locked without.
func (f plainTree) makeScratch() error {
	err := os.Mkdir(f.dir.ScratchPath(), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// emptyHidden moves to scratch what stood there when it came back.
func (f plainTree) emptyHidden() error {
	hidden := f.dir.HiddenScratchPath()
	entries, err := os.ReadDir(hidden)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("bring scratch files back: %w", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err := f.moveAll(names, hidden, f.dir.ScratchPath()); err != nil {
		return err
	}
	return f.disk.Remove("hidden scratch directory", hidden)
}

// placeNote puts NOT-MOUNTED.txt into a directory.
func placeNote(dir string) error {
	note := filepath.Join(dir, worlddir.NotMounted)
	if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return createFile(note, notMountedText)
}

// createFile makes a file that must not exist.
func createFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// syncAll makes all moves durable.
func (f plainTree) syncAll() error {
	dirs := []string{f.dir.EntitiesPath(), f.dir.StatePath(), f.dir.Place()}
	for _, dir := range append(dirs, f.dir.PlainPath(), f.dir.ScratchPath()) {
		if err := f.disk.SyncDir("plain files", dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// restore brings the plain files back after the mount: brings them up to date
// where they are wanted, then makes them entities/. Where nothing was moved
// to .worldfs/plain and no plain files are wanted, it only removes the note.
func (f plainTree) restore() error {
	if err := f.repair(); err != nil {
		return err
	}
	scratch, err := f.list(f.dir.ScratchPath())
	if err != nil {
		return err
	}
	aside, err := f.list(f.dir.PlainPath())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	wanted := f.dir.WantsPlain() || aside.entities || !missing && f.world.KnowsPlain()
	if !missing || wanted || !scratch.empty() {
		if err := f.updatePlain(wanted, scratch); err != nil {
			return err
		}
	}
	return f.swapBack()
}

// updatePlain brings .worldfs/plain up to date.
func (f plainTree) updatePlain(wanted bool, scratch contents) error {
	plain := f.dir.PlainPath()
	err := os.Mkdir(plain, 0o700)
	switch {
	case err == nil:
		err = resemble(plain, f.dir.EntitiesPath())
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err != nil {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if wanted {
		if err := f.world.WritePlainIn(plain); err != nil {
			return fmt.Errorf("bring plain files back: %w", err)
		}
	}
	return f.moveOut(scratch, append(scratch.others, scratch.entityFiles...), f.dir.ScratchPath(), plain)
}

// swapBack makes .worldfs/plain, where there is one, entities/ again.
func (f plainTree) swapBack() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	if _, err := os.Lstat(plain); errors.Is(err, fs.ErrNotExist) {
		return errors.Join(resemble(entities, f.dir.ScratchPath()), removeNote(entities))
	}
	here, err := f.list(entities)
	if err != nil {
		return err
	}
	if here.entities {
		return f.takeInCheckout() // another program put them there since
	}
	if err := f.moveOut(here, here.others, entities, plain); err != nil {
		return err
	}
	// The moves out of scratch come first: a power cut must not leave a file in
	// neither place.
	if err := f.syncAll(); err != nil {
		return err
	}
	if err := f.exchange(plain, entities); err != nil {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if err := resemble(entities, f.dir.ScratchPath()); err != nil {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if err := f.emptyPlain(); err != nil {
		return err
	}
	return f.syncAll()
}

// emptyPlain removes .worldfs/plain after the exchange. Files that another program
// put into entities/ at the last moment are newer than those of the same name.
func (f plainTree) emptyPlain() error {
	entities, plain := f.dir.EntitiesPath(), f.dir.PlainPath()
	late, err := f.list(plain)
	if err != nil {
		return err
	}
	for _, name := range late.entityFiles {
		if err := f.disk.Rename("plain file", filepath.Join(plain, name), filepath.Join(entities, name)); err != nil {
			return fmt.Errorf("bring plain files back: %w", err)
		}
	}
	if err := f.moveOut(late, late.others, plain, entities); err != nil {
		return err
	}
	return f.removePlain()
}

// refresh writes the plain files that the world has changed since, where plain
// files are wanted or there are some.
func (f plainTree) refresh() error {
	if f.world.PlainInStep() {
		return nil
	}
	here, err := f.hasEntities(f.dir.EntitiesPath())
	if err != nil {
		return err
	}
	if !f.dir.WantsPlain() && !here {
		return nil
	}
	if _, err := f.world.WritePlain("", false); err != nil {
		return err // it says what was done
	}
	return nil
}
