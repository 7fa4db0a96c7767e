// Package plaintree swaps the two forms in which entities/ shows a world: plain
// files, and the mount; and mends what a crash left of a swap. At every instant
// entities/ is there, and no file in it is stale.
package plaintree

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

// Tree swaps the two forms in which entities/ shows a world: plain files, and
// the mount.
//
// Mounting takes the plain files in and moves them to .worldfs/plain, by exchanging
// the directory with a new one; names that are no entities' go on
// to .worldfs/scratch, which is then hidden beneath the mountpoint. Unmounting
// brings .worldfs/plain up to date while no program sees it and then exchanges it
// with entities/ again, which is there at every instant. So after a crash the
// files are missing and never stale: a stale file would be committed over a
// teammate's work.
type Tree struct {
	Dir   *worlddir.Dir
	World *cache.World
	Disk  disk.Disk

	// Covered says that the mount covers the world directory. No program reaches
	// .worldfs then, and scratch need not be hidden.
	Covered bool

	// Beneath, where it is not nil, gets what is found beneath a mount that has ended.
	Beneath *Beneath
}

// Scratch returns where the scratch directory is while the world is mounted.
func (t Tree) Scratch() string {
	if t.Covered {
		return t.Dir.ScratchPath()
	}
	return t.Dir.HiddenScratchPath()
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
func (t Tree) repair() error {
	for _, step := range []func() error{t.makeEntities, t.unhide, t.makeScratch, t.relocate} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Prepare makes entities/ ready to be mounted over.
func (t Tree) Prepare() error {
	if err := t.mend(); err != nil {
		return err
	}
	c, err := t.list(t.Dir.EntitiesPath())
	if err != nil {
		return err
	}
	if err := t.takeIn(c.entities); err != nil {
		return err
	}
	if err := t.finishMove(); err != nil {
		return err
	}
	if err := resemble(t.Dir.ScratchPath(), t.Dir.EntitiesPath()); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	if c.entities {
		err = t.moveToPlain()
	} else {
		err = t.moveOthers(c)
	}
	if err != nil {
		return err
	}
	if !t.Covered {
		if err := t.hide(); err != nil {
			return err
		}
	}
	return t.syncAll()
}

// makeEntities makes entities/ where it is missing. What a repository may have
// brought instead is refused: a symlink leads anywhere.
func (t Tree) makeEntities() error {
	path := t.Dir.EntitiesPath()
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
	return t.checkShards()
}

// checkShards refuses symlinks in the place of shards likewise.
func (t Tree) checkShards() error {
	l := t.World.Layout()
	if !l.Sharded() {
		return nil
	}
	entries, err := os.ReadDir(t.Dir.EntitiesPath())
	if err != nil {
		return fmt.Errorf("look at entities directory: %w", err)
	}
	for _, e := range entries {
		if _, shard := l.ParseShard(e.Name()); shard && e.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is not a directory (symlinks are not followed); move it away",
				filepath.Join(t.Dir.EntitiesPath(), e.Name()))
		}
	}
	return nil
}

// moveToPlain exchanges entities/ with a new directory, .worldfs/plain.
func (t Tree) moveToPlain() error {
	entities, plain := t.Dir.EntitiesPath(), t.Dir.PlainPath()
	err := os.Mkdir(plain, 0o700)
	if err == nil {
		err = resemble(plain, entities)
	}
	if err == nil {
		err = placeNote(plain)
	}
	if err == nil {
		err = t.exchange(entities, plain)
	}
	if err != nil {
		return fmt.Errorf("move plain files aside: %w", err)
	}
	if err := removeNote(plain); err != nil {
		return fmt.Errorf("move plain files aside: %w", err)
	}
	return t.finishMove()
}

// moveOthers moves to scratch what lies in entities/ beside no entity. The note,
// which says that it did, comes first.
func (t Tree) moveOthers(c contents) error {
	if err := placeNote(t.Dir.EntitiesPath()); err != nil {
		return fmt.Errorf("make mountpoint: %w", err)
	}
	return t.moveOut(c, c.others, t.Dir.EntitiesPath(), t.Dir.ScratchPath())
}

// exchange swaps two directories in one instant where the file system can.
func (t Tree) exchange(a, b string) error {
	err := t.Disk.Exchange("plain files", a, b)
	if err == nil || !disk.IsUnsupported(err) {
		return err
	}
	between := disk.Beside(b, "moving")
	if err := t.Disk.RenameNew("plain files", b, between); err != nil {
		return err
	}
	if err := t.Disk.RenameNew("plain files", a, b); err != nil {
		return errors.Join(err, t.Disk.RenameNew("plain files", between, b))
	}
	return t.Disk.RenameNew("plain files", between, a)
}

// finishMove moves on, from .worldfs/plain to .worldfs/scratch, what are no
// entities' files.
func (t Tree) finishMove() error {
	c, err := t.list(t.Dir.PlainPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.moveOut(c, c.others, t.Dir.PlainPath(), t.Dir.ScratchPath())
}

// hide puts the scratch directory beneath the mountpoint.
func (t Tree) hide() error {
	err := t.Disk.RenameNew("scratch files", t.Dir.ScratchPath(), t.Dir.HiddenScratchPath())
	if err != nil {
		return fmt.Errorf("hide scratch files: %w", err)
	}
	return nil
}

// unhide brings the scratch directory back from beneath the mountpoint.
func (t Tree) unhide() error {
	hidden, scratch := t.Dir.HiddenScratchPath(), t.Dir.ScratchPath()
	info, err := os.Lstat(hidden)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory (symlinks are not followed); move it away", hidden)
	}
	if err == nil {
		err = t.Disk.Exchange("scratch files", hidden, scratch)
	}
	if errors.Is(err, fs.ErrNotExist) || disk.IsUnsupported(err) {
		_ = os.Remove(scratch) // only if it is empty
		err = t.Disk.RenameNew("scratch files", hidden, scratch)
	}
	if err != nil {
		return fmt.Errorf("bring scratch files back: %w", err)
	}
	return t.emptyHidden()
}

// makeScratch makes the scratch directory where it is missing: on a full disk the
// world may have been locked without.
func (t Tree) makeScratch() error {
	err := os.Mkdir(t.Dir.ScratchPath(), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// emptyHidden moves to scratch what stood there when it came back.
func (t Tree) emptyHidden() error {
	hidden := t.Dir.HiddenScratchPath()
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
	if err := t.moveAll(names, hidden, t.Dir.ScratchPath()); err != nil {
		return err
	}
	return t.Disk.Remove("hidden scratch directory", hidden)
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
func (t Tree) syncAll() error {
	dirs := []string{t.Dir.EntitiesPath(), t.Dir.StatePath(), t.Dir.Place()}
	for _, dir := range append(dirs, t.Dir.PlainPath(), t.Dir.ScratchPath()) {
		if err := t.Disk.SyncDir("plain files", dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// End is Restore when a mount ends.
func (t Tree) End() error {
	err := t.Restore()
	if !disk.IsNoRoom(err) {
		return err
	}
	return fmt.Errorf("%w; the mount has ended and every edit is in world.pack, but there is no room for the plain files. "+
		"Make room on that disk: the next command, such as worldfs status, brings them back", err)
}

// Restore brings the plain files back after the mount: brings them up to date
// where they are wanted, then makes them entities/. Where nothing was moved
// to .worldfs/plain, no plain files are wanted and none lie there, it only removes the note.
func (t Tree) Restore() error {
	if err := t.repair(); err != nil {
		return err
	}
	scratch, err := t.list(t.Dir.ScratchPath())
	if err != nil {
		return err
	}
	aside, err := t.list(t.Dir.PlainPath())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	wanted := t.Dir.WantsPlain() || aside.entities || !missing && t.World.KnowsPlain()
	if !missing || wanted || !scratch.empty() {
		if err := t.updatePlain(wanted, scratch); err != nil {
			return err
		}
		t.noteBeneath(aside.others, cache.Report{})
	}
	return t.swapBack()
}

// updatePlain brings .worldfs/plain up to date.
func (t Tree) updatePlain(wanted bool, scratch contents) error {
	plain := t.Dir.PlainPath()
	err := os.Mkdir(plain, 0o700)
	switch {
	case err == nil:
		err = resemble(plain, t.Dir.EntitiesPath())
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err != nil {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if wanted {
		taken, err := t.World.WritePlainIn(plain)
		if err != nil {
			return fmt.Errorf("bring plain files back: %w", err)
		}
		t.noteBeneath(nil, taken)
	}
	return t.moveOut(scratch, append(scratch.others, scratch.entityFiles...), t.Dir.ScratchPath(), plain)
}

// swapBack makes .worldfs/plain, where there is one, entities/ again.
func (t Tree) swapBack() error {
	entities, plain := t.Dir.EntitiesPath(), t.Dir.PlainPath()
	here, err := t.list(entities)
	if err != nil {
		return err
	}
	if here.entities {
		return t.takeInCheckout() // another program put them there since
	}
	if _, err := os.Lstat(plain); errors.Is(err, fs.ErrNotExist) {
		t.noteBeneath(here.others, cache.Report{})
		return errors.Join(resemble(entities, t.Dir.ScratchPath()), removeNote(entities))
	}
	if err := t.moveOut(here, here.others, entities, plain); err != nil {
		return err
	}
	t.noteBeneath(here.others, cache.Report{})
	// The moves out of scratch come first: a power cut must not leave a file in
	// neither place.
	if err := t.syncAll(); err != nil {
		return err
	}
	if err := t.exchange(plain, entities); err != nil {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if err := resemble(entities, t.Dir.ScratchPath()); err != nil {
		return fmt.Errorf("bring plain files back: %w", err)
	}
	if err := t.emptyPlain(); err != nil {
		return err
	}
	return t.syncAll()
}

// emptyPlain removes .worldfs/plain after the exchange. Files that another program
// put into entities/ at the last moment are newer than those of the same name.
func (t Tree) emptyPlain() error {
	entities, plain := t.Dir.EntitiesPath(), t.Dir.PlainPath()
	late, err := t.list(plain)
	if err != nil {
		return err
	}
	for _, name := range late.entityFiles {
		if err := t.Disk.Rename("plain file", filepath.Join(plain, name), filepath.Join(entities, name)); err != nil {
			return fmt.Errorf("bring plain files back: %w", err)
		}
	}
	if err := t.moveOut(late, late.others, plain, entities); err != nil {
		return err
	}
	return t.removePlain()
}

// Refresh writes the plain files that the world has changed since, where plain
// files are wanted or there are some.
func (t Tree) Refresh() error {
	if t.World.PlainInStep() {
		return nil
	}
	here, err := t.HasEntities(t.Dir.EntitiesPath())
	if err != nil {
		return err
	}
	if !t.Dir.WantsPlain() && !here {
		return nil
	}
	if _, err := t.World.WritePlain("", false); err != nil {
		return err // it says what was done
	}
	return nil
}
