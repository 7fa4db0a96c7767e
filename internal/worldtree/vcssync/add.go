package vcssync

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// LocalTrackedError says that version control has files that are this machine's alone.
type LocalTrackedError struct {
	Tool  string
	Names []string
	Out   string // the command that takes them out and leaves them on the disk
}

func (e *LocalTrackedError) Error() string {
	return fmt.Sprintf("%s has %s, which is this machine's alone: take it out with\n\n    %s\n\n"+
		"which leaves it on the disk, then run worldfs vcs add again, and commit", e.Tool, strings.Join(e.Names, " and "), e.Out)
}

// local are the names in a world directory that no version control should have.
var local = []string{worlddir.StateName, worlddir.PackName, worlddir.ShipPackName, worlddir.ShipMapName}

// CheckLocal returns a *LocalTrackedError where version control has what is local. It
// needs no lock, and nothing in .worldfs is believed.
func CheckLocal(root string) error {
	top := workingCopy(root)
	if top == "" {
		return ErrNoVCS
	}
	for _, tool := range tools {
		if _, err := os.Lstat(filepath.Join(top, tool.marker)); err != nil {
			continue
		}
		has, out, err := tool.local(root)
		if err != nil {
			return err
		}
		if len(has) > 0 {
			return &LocalTrackedError{Tool: tool.name, Names: has, Out: out + " " + strings.Join(has, " ")}
		}
	}
	return nil
}

func localInGit(root string) (has []string, out string, err error) {
	x, err := vcs.Git{Dir: root}.OpenIndex()
	if err != nil {
		return nil, "", err
	}
	tracked, err := x.Tracked(local...)
	for _, name := range tracked {
		has = append(has, strings.SplitN(name, "/", 2)[0])
	}
	return slices.Compact(has), "git rm -r -q --cached", err
}

func localInSVN(root string) (has []string, out string, err error) {
	w, err := vcs.SVN{Dir: root}.OpenCopy()
	if err != nil {
		return nil, "", err
	}
	known, err := w.Knows(local)
	if errors.Is(err, vcs.ErrNoRepository) {
		return nil, "", nil // svn does not have the directory itself
	}
	for _, name := range local {
		if _, ok := known[name]; ok {
			has = append(has, name)
		}
	}
	return has, "svn delete --keep-local", err
}

// imported are the names that a first import brings. git's ignore rules do svn no harm,
// and would else be new to it for ever.
var imported = append([]string{gitIgnore, worlddir.ConfigName, worlddir.RangesName}, names...)

const gitIgnore = ".gitignore"

// Add has version control know a whole world, for the first commit of it. ignore is
// called when it can be told what is local, and before it is told the files.
func Add(o Options, ignore func() error) (results []Result, err error) {
	top := workingCopy(o.Dir.Root)
	for _, tool := range tools {
		if _, err := os.Lstat(filepath.Join(top, tool.marker)); top == "" || err != nil {
			continue
		}
		s := syncing{Options: o, done: Result{Tool: tool.name}}
		if err := s.patiently(func(s *syncing) error { return tool.add(s, ignore) }); err != nil {
			return results, err
		}
		results = append(results, s.done)
	}
	if len(results) == 0 {
		return nil, ErrNoVCS
	}
	return results, nil
}

func (s *syncing) addToGit(ignore func() error) error {
	if err := ignore(); err != nil {
		return err
	}
	x, err := vcs.Git{Dir: s.Dir.Root}.OpenIndex()
	if err != nil {
		return err
	}
	c, err := x.Changes(imported...)
	if err != nil {
		return err
	}
	c.Select(s.isImported, s.isOurs)
	s.done.Created = slices.Concat(c.Created, c.Returned)
	if err := x.Add(s.done.Created); err != nil {
		return err
	}
	if tracked, err := x.Tracked(worlddir.ConfigName); err != nil || len(tracked) == 0 {
		return orElse(err, fmt.Errorf("git is told to ignore %s: git check-ignore -v %s says where", worlddir.ConfigName, worlddir.ConfigName))
	}
	return nil
}

func (s *syncing) addToSVN(ignore func() error) error {
	w, err := vcs.SVN{Dir: s.Dir.Root}.OpenCopy()
	if err != nil {
		return err
	}
	known, err := w.Knows([]string{"."})
	if err != nil && !errors.Is(err, vcs.ErrNoRepository) {
		return err
	}
	if len(known) == 0 {
		if err := w.Add([]string{"."}); err != nil {
			return err
		}
	}
	if err := ignore(); err != nil {
		return err
	}
	t := svnSync{syncing: s, copy: w}
	if err := t.lookAt(imported, s.isImported); err != nil {
		return err
	}
	return t.scheduleAdditions()
}

// isImported reports whether a first import brings a file.
func (s *syncing) isImported(name string) bool {
	return name == gitIgnore || name == worlddir.ConfigName || name == worlddir.RangesName || s.isThere(name)
}

// HasEntities reports whether there are files of entities in entities/.
func HasEntities(dir *worlddir.Dir) bool { return walkEntities(dir, 1) > 0 }

func countEntities(dir *worlddir.Dir) int { return walkEntities(dir, math.MaxInt) }

// walkEntities counts the files of entities, up to a number.
func walkEntities(dir *worlddir.Dir, most int) (n int) {
	_ = filepath.WalkDir(dir.EntitiesPath(), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir.EntitiesPath(), at)
		if err != nil {
			return err
		}
		if _, _, is := layout.Of(filepath.ToSlash(rel)); is {
			n++
		}
		if n == most {
			return fs.SkipAll
		}
		return nil
	}) // what cannot be read is not there
	return n
}
