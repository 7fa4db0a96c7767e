package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/layout"
	"github.com/worldfs/worldfs/worlddir"
)

// moveAll moves names from one directory to another. One that is taken there
// gets another name: nothing is lost.
func (f faces) moveAll(names []string, from, to string) error {
	for _, name := range names {
		target := filepath.Join(to, name)
		err := f.disk.RenameNew("file", filepath.Join(from, name), target)
		for errors.Is(err, fs.ErrExist) {
			if same(filepath.Join(from, name), target) {
				err = os.Remove(filepath.Join(from, name))
				break
			}
			target += "~"
			err = f.disk.RenameNew("file", filepath.Join(from, name), target)
		}
		if err != nil {
			return fmt.Errorf("move %s to %s: %w", name, to, err)
		}
	}
	return nil
}

// same reports whether both are ordinary files with the same bytes.
func same(a, b string) bool {
	for _, path := range []string{a, b} {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	x, errX := os.ReadFile(a)
	y, errY := os.ReadFile(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func removeNote(dir string) error {
	err := os.Remove(filepath.Join(dir, worlddir.NotMounted))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ownPrefix begins the names that the mount keeps for itself in scratch/.
const ownPrefix = ".worldfs-"

// contents is what a directory of plain files holds, but for NOT-MOUNTED.txt.
type contents struct {
	entities    bool     // there are entities' files
	entityFiles []string // their names
	others      []string
}

func (f faces) look(dir string) (c contents, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return c, fmt.Errorf("read plain files: %w", err)
	}
	for _, e := range entries {
		switch {
		case isEntityFile(e):
			c.entities = true
			c.entityFiles = append(c.entityFiles, e.Name())
		case e.Name() != worlddir.NotMounted && !strings.HasPrefix(e.Name(), ownPrefix):
			c.others = append(c.others, e.Name())
		}
	}
	return c, nil
}

func isEntityFile(e fs.DirEntry) bool {
	_, ok := layout.ParseFileName(e.Name())
	return ok && e.Type().IsRegular()
}
