package plaintree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// maxReclaimBatch is how many scratch files are read before they are made durable.
const maxReclaimBatch = 1024

// reclaim finishes a checkout across a change of shard in which the daemon was killed:
// what the checkout had written in the entities' new places is in scratch, and comes
// in as their texts. Entities that it had deleted and not written yet come back, since a
// move is no deletion. Without this the files would come back beside those of the
// entities, at names that no commit has.
//
// A file that was edited, which svn left in its old place, stays there: the plain files lay
// in the layout was before they were brought in order.
func (t Tree) reclaim(was layout.Layout) error {
	if !t.Crashed() {
		return nil
	}
	disk.Sweep(filepath.Join(t.Dir.StatePath(), "*"), formerSuffix)
	strays, err := t.strays()
	if err != nil || len(strays) == 0 {
		return err
	}
	moved := 0
	for some := range slices.Chunk(strays, maxReclaimBatch) {
		n, err := t.reclaimSome(some, was)
		if err != nil {
			return err
		}
		moved += n
	}
	if err := t.removeEmptyShards(); err != nil || moved == 0 {
		return err
	}
	return t.World.ReturnDeleted()
}

// strays returns the paths in scratch, with slashes, that are entities' in any layout.
func (t Tree) strays() (strays []string, err error) {
	scratch := t.Dir.ScratchPath()
	names, err := os.ReadDir(scratch)
	if err != nil {
		return nil, fmt.Errorf("read scratch: %w", err)
	}
	for _, e := range names {
		if !e.IsDir() || !layout.IsShard(e.Name()) {
			strays = appendStray(strays, e.Name(), e)
			continue
		}
		below, err := os.ReadDir(filepath.Join(scratch, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read scratch: %w", err)
		}
		for _, e2 := range below {
			strays = appendStray(strays, path.Join(e.Name(), e2.Name()), e2)
		}
	}
	return strays, nil
}

func appendStray(strays []string, at string, e fs.DirEntry) []string {
	if _, _, ok := layout.Of(at); ok && e.Type().IsRegular() {
		return append(strays, at)
	}
	return strays
}

// reclaimSome has the world take in files in scratch, removes those that it has, and
// returns of how many the entities had no file.
func (t Tree) reclaimSome(paths []string, was layout.Layout) (moved int, err error) {
	scratch := t.Dir.ScratchPath()
	all := make([]cache.Stray, 0, len(paths))
	for _, p := range paths {
		s, err := readStray(scratch, p)
		if errors.Is(err, errNoStray) {
			continue
		} else if err != nil {
			return 0, fmt.Errorf("read scratch: %w", err)
		}
		all = append(all, s)
	}
	has, moved, err := t.World.Reclaim(all, func(former []cache.Adopted) error { return t.leaveFormer(former, was) })
	if err != nil {
		return 0, err
	}
	for _, s := range has {
		if err := t.Disk.Remove("scratch file", filepath.Join(scratch, s.Layout.Path(s.ID))); err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// formerSuffix is what the name of a file that is to stay in its old place ends in while it is
// written: beside scratch, of which all is brought back into entities/.
const formerSuffix = "former"

// leaveFormer puts files of entities into scratch, where the layout was has them. One that an
// earlier call had put there before it was killed stays alone.
func (t Tree) leaveFormer(former []cache.Adopted, was layout.Layout) error {
	if now := t.World.Layout(); was == now { // an earlier call was killed after it had noted the layout
		was = (now + 1) % (layout.Hundreds + 1)
	}
	for _, a := range former {
		at, left := t.left(a)
		if !left {
			at = filepath.Join(t.Dir.ScratchPath(), was.Path(a.ID))
			if err := t.placeFormer(a, at); err != nil {
				return fmt.Errorf("leave an edited file where it was: %w", err)
			}
		}
		if err := t.Disk.SyncDir("edited file", filepath.Dir(at)); err != nil {
			return fmt.Errorf("leave an edited file where it was: %w", err)
		}
	}
	return nil
}

// left returns where in scratch a file of an entity is that has its text already.
func (t Tree) left(a cache.Adopted) (at string, left bool) {
	for _, place := range t.World.Layout().OtherPaths(a.ID) {
		at := filepath.Join(t.Dir.ScratchPath(), filepath.FromSlash(place))
		if text, err := disk.ReadFile(at, cache.MaxFileSize); err == nil && bytes.Equal(text, a.Text) {
			return at, true
		}
	}
	return "", false
}

// placeFormer writes an entity's file to where it is to stay.
func (t Tree) placeFormer(a cache.Adopted, at string) error {
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	made := disk.Beside(filepath.Join(t.Dir.StatePath(), layout.FileName(a.ID)), formerSuffix)
	if err := t.Disk.WriteFile("edited file", made, a.Text, fs.FileMode(a.Attr.Mode&0o777)); err != nil {
		return err
	}
	_ = os.Chown(made, int(a.Attr.UID), int(a.Attr.GID)) // as far as this process may
	_ = os.Chtimes(made, a.Attr.Atime, a.Attr.Mtime)     // a time that is not kept is no loss
	return t.moveNew(made, at)
}

// errNoStray is why a file is none that an entity can be made of.
var errNoStray = errors.New("not an entity's text")

// removeEmptyShards removes the shards in scratch that have nothing in them.
func (t Tree) removeEmptyShards() error {
	scratch := t.Dir.ScratchPath()
	names, err := os.ReadDir(scratch)
	if err != nil {
		return fmt.Errorf("read scratch: %w", err)
	}
	for _, e := range names {
		if e.IsDir() && layout.IsShard(e.Name()) {
			_ = os.Remove(filepath.Join(scratch, e.Name())) // which does nothing to one that has any
		}
	}
	return nil
}
