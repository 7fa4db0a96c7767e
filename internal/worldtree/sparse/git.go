package sparse

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// leftOut is git's tag of a file that is not to be in the working tree.
const leftOut = "S"

// openGit returns git in a directory, nil where its checkout is not sparse.
func openGit(dir string) (*vcs.Caller, error) {
	c, err := vcs.Git{Dir: dir}.Caller()
	if err != nil {
		return nil, err
	}
	// It is there since the first git sparse-checkout set.
	if _, err := os.Stat(filepath.Join(c.GitDir(), "info", "sparse-checkout")); err != nil {
		return nil, nil
	}
	return c, nil
}

// GitLeavesOut returns how many entities of a world a sparse checkout leaves out.
func GitLeavesOut(root string) (entities int, err error) {
	c, err := openGit(root)
	if c == nil {
		return 0, err
	}
	lines, err := c.List("ls-files", "-t", "-z", "--", worlddir.EntitiesName)
	for _, line := range lines {
		if tag, name, _ := strings.Cut(line, " "); tag == leftOut {
			if _, ok := layout.EntityOf(name); ok {
				entities++
			}
		}
	}
	return entities, err
}

// findInGit finds a world that a sparse checkout leaves out.
func findInGit(from string) *World {
	c, err := openGit(from)
	if c == nil || err != nil {
		return nil
	}
	all, err := c.With("GIT_LITERAL_PATHSPECS=0").List("ls-files", "-t", "-z", "--full-name", "--", ":(top,glob)**/"+worlddir.ConfigName)
	dir, found := nearest(all, strings.TrimSuffix(c.Prefix(), "/"))
	if !found || err != nil {
		return nil
	}
	top, err := c.Line("rev-parse", "--show-toplevel")
	if err != nil {
		return nil
	}
	w := &World{Root: filepath.Join(top, dir), Known: true, says: "git's checkout is sparse, and leaves its " + worlddir.ConfigName + " out"}
	w.brings = "git "
	if top != from {
		w.brings += "-C " + advice.Quote(top) + " "
	}
	w.brings += "sparse-checkout add " + advice.Quote(pattern(c, dir))
	return w
}

// nearest returns, of files as git ls-files -t lists them, the directory of the one that is
// left out and lies nearest above a directory. Where none does, it is the first below it,
// unless one is there of those.
func nearest(listed []string, from string) (dir string, found bool) {
	var below []string
	isBelow := true
	for _, line := range listed {
		tag, name, _ := strings.Cut(line, " ")
		at := strings.TrimPrefix(path.Dir(name), ".")
		switch {
		case isWithin(from, at) && tag == leftOut && (!found || len(at) > len(dir)):
			dir, found = at, true
		case isWithin(at, from) && tag == leftOut:
			below = append(below, at)
		case isWithin(at, from):
			isBelow = false
		}
	}
	if !found && isBelow && len(below) > 0 {
		return slices.Min(below), true
	}
	return dir, found
}

func isWithin(dir, in string) bool {
	return in == "" || dir == in || strings.HasPrefix(dir, in+"/")
}

// pattern returns what git sparse-checkout add is to be told of a directory: a cone is of
// directories, and always has the files on top.
func pattern(c *vcs.Caller, dir string) string {
	cone, _ := c.Line("config", "--bool", "core.sparseCheckoutCone") // what is not set is no
	switch {
	case cone == "true" && dir != "":
		return dir
	case dir == "":
		return "/" + worlddir.ConfigName
	}
	return "/" + dir + "/"
}
