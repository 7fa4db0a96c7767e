package mergestudy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// workingCopy is a working copy of svn with a world for each case, in which ours is not
// committed yet and theirs is in the repository. worldfs vcs install was typed.
type workingCopy struct {
	*toolbox
	dir string
}

// newWorkingCopy makes one with cases, by their numbers, below a directory.
func newWorkingCopy(t *toolbox, dir string, cases map[int]*threeWay) (*workingCopy, error) {
	w := &workingCopy{t, filepath.Join(dir, "ours")}
	theirs, repository := &workingCopy{t, filepath.Join(dir, "theirs")}, filepath.Join(dir, "repository")
	if err := t.run(dir, "svnadmin", "create", repository); err != nil {
		return nil, err
	}
	if err := t.run(dir, "svn", "checkout", "-q", "file://"+repository, theirs.dir); err != nil {
		return nil, err
	}
	if err := theirs.begin(cases); err != nil {
		return nil, err
	}
	if err := t.run(dir, "svn", "checkout", "-q", "file://"+repository, w.dir); err != nil {
		return nil, err
	}
	if err := theirs.edit(cases, 1); err != nil {
		return nil, err
	}
	if err := theirs.run(theirs.dir, "svn", "commit", "-q", "-m", "theirs"); err != nil {
		return nil, err
	}
	return w, w.edit(cases, 0)
}

func caseName(i int) string { return fmt.Sprintf("case%d", i) }

// begin commits the bases.
func (w *workingCopy) begin(cases map[int]*threeWay) error {
	worlds := make([]string, 0, len(cases))
	for i, c := range cases {
		worlds = append(worlds, caseName(i))
		for name, data := range c.files(c.base) {
			if err := writeFile(filepath.Join(w.dir, caseName(i), name), data); err != nil {
				return err
			}
		}
	}
	if err := w.all("add", worlds); err != nil {
		return err
	}
	if len(worlds) > 0 { // the config that it writes is for all worlds
		if err := w.run(filepath.Join(w.dir, worlds[0]), w.worldfs, "vcs", "install", "--yes"); err != nil {
			return err
		}
	}
	if err := w.run(w.dir, "svn", append([]string{"propset", "-q", "svn:ignore", ".worldfs"}, worlds...)...); err != nil {
		return err
	}
	return w.run(w.dir, "svn", "commit", "-q", "-m", "base")
}

// edit has the working copy be as a side has the worlds, and svn know of it.
func (w *workingCopy) edit(cases map[int]*threeWay, side int) error {
	var added, deleted []string
	for i, c := range cases {
		had, has := c.files(c.base), c.files(c.sides[side].world)
		for name, data := range has {
			name = filepath.Join(caseName(i), name)
			if err := writeFile(filepath.Join(w.dir, name), data); err != nil {
				return err
			}
			added = append(added, name)
		}
		for name := range had {
			if has[name] == nil {
				deleted = append(deleted, filepath.Join(caseName(i), name))
			}
		}
	}
	if err := w.all("add", added); err != nil {
		return err
	}
	return w.all("delete", deleted)
}

// all has one command of svn do something with files.
func (w *workingCopy) all(verb string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	return w.feed(w.dir, strings.Join(slices.Sorted(slices.Values(names)), "\n")+"\n", "svn", verb, "-q", "--force", "--targets", "-")
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// merge has svn update a case, and worldfs resolve finish it.
func (w *workingCopy) merge(i int, c *threeWay) (v verdict, err error) {
	world := filepath.Join(w.dir, caseName(i))
	if err := requireFiles(world, c.sides[0].world); err != nil {
		return v, err
	}
	if err := w.run(world, "svn", "update", "-q", "--accept", "postpone"); err != nil {
		return v, err
	}
	s, err := w.resolve(world)
	if err != nil {
		return v, err
	}
	if v, err = c.judgeFiles(world, s); err != nil || v.conflict {
		return v, err
	}
	return w.commit(world, v)
}

// commit commits what was resolved. What is not committed then, is lost to others.
func (w *workingCopy) commit(world string, v verdict) (verdict, error) {
	_, all, exit, err := w.try(world, "", "svn", "commit", "-q", "-m", "merged")
	if err != nil {
		return v, err
	}
	if exit != 0 {
		v.faults.lost, v.failure = true, v.failure+"svn commit: "+all
	}
	out, _, _, err := w.try(world, "", "svn", "status")
	if out != "" {
		v.faults.lost, v.failure = true, v.failure+"not committed: "+out
	}
	return v, err
}
