package plaintree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// maxReclaimBatch is how many scratch files are read before they are made durable.
const maxReclaimBatch = 1024

// reclaim finishes a checkout across a change of shard in which the daemon was killed:
// what the checkout had written in the entities' new places is in scratch, and comes
// in as their texts. Entities that it had deleted and not written yet come back, since a
// move is no deletion. Without this the files would come back beside those of the
// entities, at names that no commit has.
func (t Tree) reclaim() error {
	if !t.Crashed() {
		return nil
	}
	strays, err := t.strays()
	if err != nil || len(strays) == 0 {
		return err
	}
	moved := 0
	for some := range slices.Chunk(strays, maxReclaimBatch) {
		n, err := t.reclaimSome(some)
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
func (t Tree) reclaimSome(paths []string) (moved int, err error) {
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
	has, moved, err := t.World.Reclaim(all)
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
