package gitsetup

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// places are where a repository keeps what is local to it.
type places struct {
	Top    string // of the working tree
	Prefix string // of the directory in it, with slashes: "" or ending in /
	Common string // git's own directory, which linked working trees share
	Hooks  string // where git looks for hooks
}

// placesOf returns where the repository that a directory lies in keeps what is local to it.
func placesOf(git vcs.Git) (p places, err error) {
	c, err := git.Caller()
	if err != nil {
		return p, err
	}
	p.Prefix = c.Prefix()
	out, err := c.Line("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if err != nil {
		return p, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 2 {
		return p, fmt.Errorf("git rev-parse printed what cannot be read: %q", out)
	}
	p.Top, p.Common = lines[0], lines[1]
	if p.Hooks, err = c.Line("-C", p.Top, "rev-parse", "--git-path", "hooks"); err != nil { // a relative core.hooksPath is from there
		return p, err
	}
	if !filepath.IsAbs(p.Hooks) {
		p.Hooks = filepath.Join(p.Top, p.Hooks)
	}
	return p, nil
}
