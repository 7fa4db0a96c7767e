package pull

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/compare/textmerge"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// ErrLeft says that an earlier pull has left a conflict about a declaration. Those about
// entities version control knows itself.
var ErrLeft = errors.New("a conflict is left from before")

// checkLeft refuses a world in which a declaration is in conflict that isEdited reports as not
// committed: its markers would be taken for the person's edit, and one side would be gone.
func checkLeft(root string, isEdited func(names []string) ([]string, error)) error {
	marked, err := markedTypes(root)
	if err == nil && len(marked) > 0 {
		marked, err = isEdited(marked)
	}
	if err != nil || len(marked) == 0 {
		return err
	}
	return fmt.Errorf("%w, in %s: worldfs resolve lists it and says how to settle it, then pull again", ErrLeft, strings.Join(marked, ", "))
}

// markedTypes returns the files of declarations that have conflict markers.
func markedTypes(root string) (marked []string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, worlddir.TypesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name := path.Join(worlddir.TypesName, e.Name())
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".toml") {
			continue
		}
		text, err := disk.ReadFile(filepath.Join(root, filepath.FromSlash(name)), typefile.MaxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if textmerge.HasMarkers(text) {
			marked = append(marked, name)
		}
	}
	return marked, nil
}

// edited returns which files of the world git has otherwise than HEAD.
func (r *repository) edited(files []string) ([]string, error) {
	all, err := r.findDirty()
	if err != nil {
		return nil, err
	}
	dirty := names(r.dirtyWorld(all), func(dirty) bool { return true })
	return slices.DeleteFunc(files, func(name string) bool { return !slices.Contains(dirty, name) }), nil
}

// edited returns which files svn has otherwise than BASE.
func (s *svnPull) edited(files []string) ([]string, error) {
	return slices.DeleteFunc(files, func(name string) bool { return !s.update.IsEdited(name) }), nil
}
