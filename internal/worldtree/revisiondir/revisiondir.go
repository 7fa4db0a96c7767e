// Package revisiondir writes the world that version control has at a revision into a
// directory, as a checkout of it would be, so that what is done with a world directory can
// be done with a revision.
//
// The files are written as they are stored, without what git's attributes or svn's
// properties would make of them. Nothing is written outside the directory, whatever names a
// repository has. What is no regular file, or is too large, becomes something that is
// told of as that file would be. Ten thousand files take about half a second.
package revisiondir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// ErrNoRevision says that a name is no revision's.
var ErrNoRevision = errors.New("it is no revision: those are called git:REV, svn:BASE or svn:REV")

// Names reports whether a name is a revision's: git:REV or svn:REV.
func Names(name string) bool {
	return strings.HasPrefix(name, "git:") || strings.HasPrefix(name, "svn:")
}

// Write writes the world that lies, or once lay, in the directory from, as it is at the
// revision of that name, into the directory to. Without a world.toml there the error is
// worlddir.ErrNotFound.
func Write(name, from, to string) error {
	files, rev, err := reader(name, from)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	query := vcs.Query{
		Rev:   rev,
		Names: []string{worlddir.ConfigName, worlddir.RangesName, worlddir.TypesName, worlddir.EntitiesName},
		Limit: cache.MaxFileSize,
	}
	w := writer{root: root, made: make(map[string]bool)}
	for f, err := range files.Files(query) {
		if err == nil {
			err = w.write(f)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	if _, err := root.Lstat(worlddir.ConfigName); err != nil {
		return fmt.Errorf("%s: there is no world at %s then: %w", name, from, worlddir.ErrNotFound)
	}
	return nil
}

func reader(name, dir string) (vcs.Reader, string, error) {
	if rev, ok := strings.CutPrefix(name, "git:"); ok {
		return vcs.Git{Dir: dir}, rev, nil
	}
	if rev, ok := strings.CutPrefix(name, "svn:"); ok {
		return vcs.SVN{Dir: dir}, rev, nil
	}
	return nil, "", fmt.Errorf("%s: %w", name, ErrNoRevision)
}

// writer writes files below a directory.
type writer struct {
	root *os.Root
	made map[string]bool // directories that are there
}

func (w *writer) write(f vcs.File) error {
	if dir := path.Dir(f.Name); !w.made[dir] {
		if err := w.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		w.made[dir] = true
	}
	switch {
	case f.Kind == vcs.Symlink:
		return w.root.Symlink("a symlink", f.Name)
	case f.Kind != vcs.Regular:
		return w.root.Mkdir(f.Name, 0o700)
	case f.Size > cache.MaxFileSize:
		return w.writeLarge(f)
	}
	return w.root.WriteFile(f.Name, f.Data, 0o600)
}

// writeLarge makes a file of the size of one that is too large to be read.
func (w *writer) writeLarge(f vcs.File) error {
	file, err := w.root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o600))
	if err != nil {
		return err
	}
	return errors.Join(file.Truncate(f.Size), file.Close())
}
