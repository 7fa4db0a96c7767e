package vcs

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/worldfs/worldfs/internal/support/slashname"
)

// coming is what the server has otherwise than BASE.
type coming struct {
	files   []string        // of those that are wanted, as the query names them
	gone    map[string]bool // those that the server has no more
	entries []statusEntry   // of everything in the working copy
}

// coming asks svn status: svn diff gives up where a file comes in that is added here, too, and
// takes an added one that does not for one that is deleted.
func (a *SVNAhead) coming() (*coming, error) {
	out, err := a.svn(context.Background(), a.dir, "status", "--xml", "--show-updates", "--ignore-externals", "-r", a.Revision, a.top+"@").Text()
	if err != nil {
		return nil, err
	}
	entries, err := parseStatus(out)
	if err != nil {
		return nil, err
	}
	return a.comingOf(entries)
}

// comingOf finds what comes in in what svn status says of everything.
func (a *SVNAhead) comingOf(entries []statusEntry) (*coming, error) {
	c, changed := &coming{gone: make(map[string]bool), entries: entries}, make(map[string]bool)
	names := sync.OnceValue(a.names)
	for _, e := range entries {
		name, err := a.relative(e.Path)
		if err != nil {
			return nil, err
		}
		name = filepath.ToSlash(name)
		switch {
		case !e.comes():
		case a.isWanted(name):
			changed[name] = true
			c.gone[name] = e.Coming.Item == "deleted"
		case e.Coming.Item == "deleted" || e.Coming.Item == "replaced": // with all that is in it
			for _, file := range slashname.In(names(), name) {
				if a.files[file].base != "" && !changed[file] {
					changed[file], c.gone[file] = true, true
				}
			}
		}
	}
	c.files = slices.Sorted(maps.Keys(changed))
	return c, nil
}

// comes reports whether the server has what lies there otherwise.
func (e *statusEntry) comes() bool { return e.Coming.Item != "" && e.Coming.Item != "none" }

// isChanged reports whether something lies there that is not as in BASE.
func (e *statusEntry) isChanged() bool {
	return e.Status.Item != "normal" && e.Status.Item != "none" || e.Status.Props == "modified"
}

// findOutside finds the files besides the world that both sides changed and that svn cannot
// merge.
func (a *SVNAhead) findOutside(all []statusEntry) error {
	gone := make(map[string]bool) // files and directories
	for _, e := range all {
		if e.Coming.Item == "deleted" {
			gone[filepath.ToSlash(e.Path)] = true
		}
	}
	for _, e := range all {
		if !e.isChanged() || !e.comes() && (e.Status.Item == "unversioned" || !slashname.IsBelow(filepath.ToSlash(e.Path), gone)) {
			continue
		}
		name, err := a.relative(e.Path)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); a.isWanted(name) || a.query.rank(name) >= 0 && isDirectory(e.Path) || a.merges(e) {
			continue
		}
		if name, err = filepath.Rel(a.top, e.Path); err != nil {
			return err
		}
		a.Outside = append(a.Outside, filepath.ToSlash(name))
	}
	return nil
}

// merges reports whether svn merges what comes in with what is here. What is in a directory is
// asked by itself.
func (a *SVNAhead) merges(e statusEntry) bool {
	if e.Coming.Item != "modified" {
		return false
	}
	if kind, err := a.svn(context.Background(), a.dir, "info", "--show-item", "kind", e.Path+"@").Text(); err == nil && strings.TrimSpace(string(kind)) == "dir" {
		return true
	}
	if e.Status.Item != "modified" {
		return false
	}
	// The file to merge into is the one of that name: its own path could not have an @.
	out, err := a.svn(context.Background(), filepath.Dir(e.Path), "merge", "--dry-run", "--accept", "postpone", "-r", Base+":"+a.Revision, filepath.Base(e.Path)+"@").Text()
	return err == nil && !bytes.Contains(out, []byte("\nC ")) && !bytes.Contains(out, []byte("\n C"))
}
