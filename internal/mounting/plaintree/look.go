package plaintree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// LookIn takes in what changed in the plain files, for a world in memory: none of
// them is written or moved.
func (t Tree) LookIn() error {
	if must, err := t.World.MustRelocate(); err != nil || must {
		return errors.Join(err, errors.New("the plain files lie where another shard has them"))
	}
	here, err := t.HasEntities(t.Dir.EntitiesPath())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	crashed := t.Crashed()
	switch {
	case err != nil:
		return err
	case !here && (crashed || !t.Dir.WantsPlain()):
		return nil
	case crashed:
		_, err = t.World.TakeCheckout(t.Dir.Dropped)
	default:
		_, err = t.World.TakePlain()
	}
	return err
}

// LastName returns when a name in entities/ or in its shards changed last.
func (t Tree) LastName() (at time.Time) {
	entities := t.Dir.EntitiesPath()
	dirs := []string{entities}
	names, _ := os.ReadDir(entities) // without it there is nothing to wait for
	for _, e := range names {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(entities, e.Name()))
		}
	}
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}
