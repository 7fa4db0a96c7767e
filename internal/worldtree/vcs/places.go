package vcs

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Places are where a repository keeps what is local to it.
type Places struct {
	Top       string // of the working tree
	Prefix    string // of Dir in it, with slashes: "" or ending in /
	Common    string // git's own directory, which linked working trees share
	Hooks     string // where git looks for hooks
	HooksPath string // what core.hooksPath says, "" for nothing
}

// Places returns where the repository that Dir lies in keeps what is local to it.
func (g Git) Places() (p Places, err error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return p, err
	}
	p.Prefix = r.prefix
	out, err := r.git(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir").Text()
	if err != nil {
		return p, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 2 {
		return p, fmt.Errorf("git rev-parse printed what cannot be read: %q", out)
	}
	p.Top, p.Common = lines[0], lines[1]
	r.dir = p.Top // a relative core.hooksPath is from there
	if out, err = r.git(ctx, "rev-parse", "--git-path", "hooks").Text(); err != nil {
		return p, err
	}
	p.Hooks = strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(p.Hooks) {
		p.Hooks = filepath.Join(p.Top, p.Hooks)
	}
	said, err := r.config(ctx, "", "^core\\.hookspath$")
	for _, values := range said {
		p.HooksPath = values[len(values)-1]
	}
	return p, err
}
