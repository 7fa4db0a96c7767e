package packfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// ErrDisplaced is what Publish returns when someone else saved a pack in the
// meantime, or is about to.
var ErrDisplaced = errors.New("another program saved the pack meanwhile")

// packMode is the mode of a pack that is made where there was none.
const packMode fs.FileMode = 0o644

// nextSuffix ends the names of packs that lie beside the one they replace, or
// have replaced.
const nextSuffix = "next"

// Publish makes data the pack at path. It is written beside, made durable,
// exchanged with the pack there, and the directory made durable, in this
// order: a reader, also after a power cut, finds the old pack or the new one,
// whole. Then the old one is removed.
//
// known is the hash of the pack that was there as far as the caller knew, zero
// for none. If what comes out of the exchange is something else, or a program
// still has it open for writing, it is not removed: displaced is its path and
// the error is ErrDisplaced. The new pack is published all the same; the
// caller takes the displaced one in and removes it.
//
// On any other error, displaced is the path of the old pack if the new one has
// taken its place already. The steps are "write pack", "fsync pack", "exchange
// pack" ("rename first pack" where there was none; "link old pack" and "rename
// pack" where the file system cannot exchange, which would lose a pack that is
// saved between the two), "fsync directory of pack", "remove old pack". A process
// that is killed can leave a pack beside: see Leftovers.
func Publish(d *disk.Disk, path string, data []byte, known [32]byte) (displaced string, err error) {
	old, err := Place(d, path, data)
	if err != nil || old == "" {
		return old, err
	}
	return Retire(d, old, known)
}

// Place is the first half of Publish: it returns once data is durably the pack
// at path. old is where the one before it is now, "" if there was none; beside
// an error it is that if the new one has taken its place already.
func Place(d *disk.Disk, path string, data []byte) (old string, err error) {
	mode, exists, err := modeOf(path)
	if err != nil {
		return "", fmt.Errorf("publish pack: %w", err)
	}
	next := disk.Beside(path, nextSuffix)
	if err := d.WriteFile("pack", next, data, mode); err != nil {
		return "", fmt.Errorf("publish pack: %w", err)
	}
	if old, err = swap(d, next, path, exists); err != nil {
		_ = os.Remove(next) // the first error is the one to tell
		return "", fmt.Errorf("publish pack: %w", err)
	}
	if err := d.SyncDir("pack", filepath.Dir(path)); err != nil {
		return old, fmt.Errorf("publish pack: %w", err)
	}
	return old, nil
}

// modeOf returns the mode of the pack at path, which an engine may have set.
func modeOf(path string) (mode fs.FileMode, exists bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return packMode, false, nil
	case err != nil:
		return 0, false, err
	case !info.Mode().IsRegular():
		return 0, false, fmt.Errorf("%s is not a file", path)
	}
	return info.Mode().Perm(), true, nil
}

// swap puts next at path and returns where what was there is now, "" if there
// was nothing.
func swap(d *disk.Disk, next, path string, exists bool) (old string, err error) {
	if !exists {
		err = d.RenameNew("first pack", next, path)
		if err == nil || !errors.Is(err, fs.ErrExist) && !disk.IsUnsupported(err) {
			return "", err
		}
		if disk.IsUnsupported(err) {
			return "", d.Rename("pack", next, path)
		}
		// A pack has appeared since: it is displaced like any other.
	}
	err = d.Exchange("pack", next, path)
	if !disk.IsUnsupported(err) {
		return next, err
	}
	old = disk.Beside(path, nextSuffix)
	if err := d.Link("old pack", path, old); err != nil {
		return "", err
	}
	if err := d.Rename("pack", next, path); err != nil {
		_ = os.Remove(old) // path still has it
		return "", err
	}
	return old, nil
}

// Retire is the second half of Publish: it removes what Place has put beside
// the pack if it is the one that was known and no process is writing to it.
func Retire(d *disk.Disk, old string, known [32]byte) (displaced string, err error) {
	hash, busy, err := inspect(old)
	switch {
	case err != nil:
		return old, fmt.Errorf("publish pack: look at the old pack: %w", err)
	case busy:
		return old, fmt.Errorf("publish pack: %w: it still has %s open for writing", ErrDisplaced, old)
	case hash != known:
		return old, fmt.Errorf("publish pack: %w: what it saved is at %s", ErrDisplaced, old)
	}
	if err := d.Remove("old pack", old); err != nil {
		return old, fmt.Errorf("publish pack: %w", err)
	}
	return "", nil
}

// inspect returns the content hash of a pack that can no longer be opened by its
// old name, zero if it changes meanwhile, and whether a process that opened it
// before may still write.
func inspect(path string) (hash [32]byte, busy bool, err error) {
	f, err := OpenQuietly(path)
	if err != nil {
		return hash, false, err
	}
	defer f.Close()
	if HasWriter(f) {
		return hash, true, nil
	}
	hash, busy, err = HashStill(f)
	if errors.Is(err, ErrMoving) {
		return [32]byte{}, busy, nil
	}
	return hash, busy, err
}

// Leftovers returns the files that a Publish which was cut short has left
// beside the pack at path, the oldest first: a new pack that was not yet
// published, perhaps torn, or an old one that was not yet looked at. The
// second kind may hold what another program saved. The caller takes in each that
// is whole and not known, and then removes it.
func Leftovers(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("look for packs beside %s: %w", path, err)
	}
	pattern := "." + filepath.Base(path) + ".*." + nextSuffix
	var found []fs.FileInfo
	for _, e := range entries {
		if ok, _ := filepath.Match(pattern, e.Name()); !ok || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil { // else it has gone
			found = append(found, info)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].ModTime().Before(found[j].ModTime()) })
	paths := make([]string, len(found))
	for i, info := range found {
		paths[i] = filepath.Join(filepath.Dir(path), info.Name())
	}
	return paths, nil
}
