// Package sparse finds what git and svn were told to leave out of a working copy and a world
// cannot do without, and the command that brings it.
package sparse

import (
	"fmt"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// World is a world directory whose world.toml version control leaves out of the working copy.
type World struct {
	Root   string // the world directory, which need not be there
	Known  bool   // version control has it; else it may have
	says   string // what leaves it out
	brings string // the command that has it be there
}

func (w *World) Error() string {
	is := "is a world directory"
	if !w.Known {
		is = "has no " + worlddir.ConfigName + " here"
	}
	return fmt.Sprintf("%s %s, but %s: %s brings it", w.Root, is, w.says, w.brings)
}

// IsAt reports whether it is the world directory of that name.
func (w *World) IsAt(root string) bool {
	dir, rest := existing(root)
	return filepath.Join(dir, rest) == w.Root
}

// Find returns the world that a directory lies in, or else the first below it, where that is
// left out; nil where none is, or version control cannot be asked. The directory need not be
// there.
func Find(from string) *World {
	dir, _ := existing(from)
	if w := findInGit(dir); w != nil {
		return w
	}
	return findInSVN(dir)
}

// existing returns the nearest directory that is there, without symlinks, and what of the
// path is below it.
func existing(path string) (dir, rest string) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return ".", ""
	}
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil || dir == filepath.Dir(dir) {
			return real, rest
		}
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
	}
}
