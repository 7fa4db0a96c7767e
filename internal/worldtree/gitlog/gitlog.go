// Package gitlog reads from git's log what commits did to the files of entities, and by whom files were
// made and changed.
package gitlog

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// Commit is a commit that did something to files of entities.
type Commit struct {
	ID      string
	Parents []string
	Known   string // author, time and subject: it has the same where it was picked or rebased
	Changes []Change
}

// Change is what a commit did to the file of an entity.
type Change struct {
	Entity  entity.ID
	Name    string // from the world's root
	Was, Is string // the object IDs of its contents, zeros for no file; Was is the first parent's
}

// IsGone reports whether the commit has removed the file.
func (c Change) IsGone() bool { return strings.Trim(c.Is, "0") == "" }

// header begins a commit in the log.
const header = "\x01"

// Read reads git's log, by options, of files of entities; without names, of all that lie in
// entities/. The directories that git names may have any characters.
func Read(git vcs.Git, options []string, names ...string) ([]Commit, error) {
	if len(names) == 0 {
		names = []string{strings.TrimSuffix(layout.Prefix, "/")}
	}
	always := []string{"-z", "--raw", "--no-abbrev", "--no-renames", "--format=" + header + "%H %P%x00%at %ae %s"}
	log, err := git.Log(slices.Concat(always, options), names...)
	if err != nil {
		return nil, err
	}
	root, err := git.Root()
	if root != "" {
		root += "/"
	}
	return parse(log, root), err
}

// parse reads a log whose parts end in NUL, and that names files from the top of the
// repository, in which the world's directory is root.
func parse(log, root string) (commits []Commit) {
	parts := strings.Split(log, "\x00")
	for i := 0; i+1 < len(parts); i++ {
		part, next := strings.TrimLeft(parts[i], "\n"), parts[i+1]
		switch {
		case strings.HasPrefix(part, header):
			if ids := strings.Fields(strings.TrimPrefix(part, header)); len(ids) > 0 {
				commits = append(commits, Commit{ID: ids[0], Parents: ids[1:], Known: next})
			}
			i++
		case strings.HasPrefix(part, ":") && len(commits) > 0:
			now := &commits[len(commits)-1]
			if c, ok := parseChange(part, strings.TrimPrefix(next, root)); ok {
				now.Changes = append(now.Changes, c)
			}
			i++
		}
	}
	return commits
}

// parseChange reads ":100644 100644 0123abcd… 0123abcd… M" and a name. Of a merge's that is
// about several parents there is a colon, a mode and an object ID for each.
func parseChange(line, name string) (c Change, ok bool) {
	words := strings.Fields(strings.TrimLeft(line, ":"))
	parents := len(line) - len(strings.TrimLeft(line, ":"))
	id, ok := layout.EntityOf(name)
	if !ok || len(words) != 2*parents+3 {
		return c, false
	}
	return Change{Entity: id, Name: name, Was: words[parents+1], Is: words[2*parents+1]}, true
}
