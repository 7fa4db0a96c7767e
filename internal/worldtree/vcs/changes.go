package vcs

import (
	"fmt"
	"slices"
	"strings"
)

// Changes are the files that came and went in a working copy since version control
// heard of it last. Names are as File has them.
type Changes struct {
	Created   []string // not known, and not to be ignored
	Deleted   []string // known, and not there
	Returned  []string // known as deleted, and there again
	Edited    []string // by svn alone: known, and there in another way than it is known
	Conflicts []string // left to people; in none of the others

	records map[string]string // of Returned, what git's index is to have
}

// Empty reports whether there are none, whatever is in conflict.
func (c *Changes) Empty() bool { return len(c.Created)+len(c.Deleted)+len(c.Returned) == 0 }

// Select has only the files be left of which want reports true.
func (c *Changes) Select(created, known func(name string) bool) {
	drop := func(names *[]string, want func(string) bool) {
		*names = slices.DeleteFunc(*names, func(name string) bool { return !want(name) })
	}
	drop(&c.Created, created)
	drop(&c.Returned, created)
	drop(&c.Deleted, known)
}

// LockedError says that another process has a working copy, or that one was killed
// that had it.
type LockedError struct {
	Tool string
	Lock string // the file, or the directory
	Free string // what people do where no process has it
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s is locked by another process (%s); where none runs, one was killed: %s", e.Tool, e.Lock, e.Free)
}

// lines returns a list of names, one a line. A name with a line break cannot be in it.
func lines(names []string) string {
	var b strings.Builder
	for _, name := range names {
		if !strings.Contains(name, "\n") {
			b.WriteString(name)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
