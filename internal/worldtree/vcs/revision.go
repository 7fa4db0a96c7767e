package vcs

import (
	"fmt"
	"strings"
)

// checkRevision refuses names that no tool has for a revision, and all that a
// tool could take for an option.
func checkRevision(tool, rev string) error {
	problem := ""
	switch {
	case rev == "":
		problem = "it is empty"
	case strings.HasPrefix(rev, "-"):
		problem = "it begins with -"
	case strings.ContainsFunc(rev, func(r rune) bool { return r < ' ' || r == 0x7f }):
		problem = "it has control characters"
	default:
		return nil
	}
	return fmt.Errorf("%s revision %q: %w: %s", tool, rev, ErrRevisionName, problem)
}
