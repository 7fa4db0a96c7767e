package marked

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// errFound ends a look.
var errFound = errors.New("a file has markers")

// MayBeAny reports whether a file of a world in a directory has markers, or may have: it
// has no text to look at where only the pack has entities. Reading the files is dearer than
// asking the world, but opening a world takes in what has changed, which a call that finds
// nothing to do should not.
func MayBeAny(dir *worlddir.Dir) (bool, error) {
	if !dir.WantsPlain() {
		return true, nil
	}
	for _, path := range []string{dir.TypesPath(), dir.EntitiesPath()} {
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			switch {
			case errors.Is(err, fs.ErrNotExist): // it has gone meanwhile
				return nil
			case err == nil && textmerge.HasMarkers(text):
				return errFound
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errFound) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}
