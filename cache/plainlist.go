package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
)

// plainFile is a file in a directory of plain files that has the name of an
// entity's.
type plainFile struct {
	id        entity.ID
	path      string // in the directory, with slashes
	misplaced bool   // it is not where the layout puts the entity
}

// listPlain returns the files in dir, and in what are shards in some layout,
// that have the name of an entity's, in the order in which the file system gives
// them. A directory that is not there has none.
func listPlain(dir string, l layout.Layout) ([]plainFile, error) {
	entries, err := readDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read plain files: %w", err)
	}
	files := namedForEntities(make([]plainFile, 0, len(entries)), "", entries, l)
	for _, e := range entries {
		if !e.IsDir() || !layout.IsShard(e.Name()) {
			continue
		}
		below, err := readDir(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read plain files: %w", err)
		}
		files = namedForEntities(files, e.Name(), below, l)
	}
	return files, nil
}

// readDir is os.ReadDir without the sorting.
func readDir(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// misplaced returns findings about plain files that have the name of an
// entity's and are none. Those of a world that is mounted are scratch.
func (w *World) misplaced() []entity.Finding {
	if w.isMounted() {
		return nil
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.plainStray
}

func namedForEntities(to []plainFile, in string, entries []fs.DirEntry, l layout.Layout) []plainFile {
	for _, e := range entries {
		id, ok := layout.ParseFileName(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		to = append(to, plainFile{id, path.Join(in, e.Name()), !l.IsIn(in, id)})
	}
	return to
}
