package gitsides

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// AllBy reports whether there are commits after the bases and up to rev, and all authors
// of them are among those named. What cannot be asked is not so.
func AllBy(git vcs.Git, bases []string, rev string, authors []string) bool {
	if len(authors) == 0 {
		return false
	}
	options := []string{"--no-merges", "--format=%an", rev}
	for _, base := range bases {
		options = append(options, "^"+base)
	}
	out, err := git.Log(options)
	if err != nil || len(out) == 0 {
		return false
	}
	for name := range strings.Lines(out) {
		if !slices.Contains(authors, strings.TrimSuffix(name, "\n")) {
			return false
		}
	}
	return true
}
