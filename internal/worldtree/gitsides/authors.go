package gitsides

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
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

// Program returns the side of an operation whose commits all are by programs: roles of
// merge.programs, or those that have a disposable range. Neither where both sides' are, or
// none is.
func Program(git vcs.Git, op *vcs.Operation, programs []string, ranges []merge.Range) merge.Party {
	programs = slices.Clone(programs)
	for _, in := range ranges {
		if in.Disposable {
			programs = append(programs, in.Owners...)
		}
	}
	ours, theirs := AllBy(git, op.Bases, op.Ours, programs), AllBy(git, op.Bases, op.Theirs, programs)
	switch {
	case ours == theirs:
		return merge.Neither
	case ours:
		return merge.Ours
	}
	return merge.Theirs
}
