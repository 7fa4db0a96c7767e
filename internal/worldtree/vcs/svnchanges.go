package vcs

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// What svn says where another process has the working copy, or a killed one had it.
const (
	svnLocked       = "E155004"
	svnDatabaseBusy = "E200033"
)

// svn status gives up where a name goes while it looks at it, as temporary files do.
const (
	svnNameWent = "E070008"
	maxTries    = 5
)

// SVNCopy is an svn working copy, for telling svn which files came and went.
type SVNCopy struct{ *workingCopy }

// OpenCopy finds the working copy that Dir lies in.
func (s SVN) OpenCopy() (*SVNCopy, error) {
	w, err := s.open()
	if err != nil {
		return nil, err
	}
	// Only a file that was just written could be mistaken for an unchanged one,
	// which is what svn would wait for after every call.
	w.env = append(w.env, "SVN_I_LOVE_CORRUPTED_WORKING_COPIES_SO_DISABLE_SLEEP_FOR_TIMESTAMPS=yes")
	return &SVNCopy{w}, nil
}

// statusEntry is a file or directory as svn status lists it.
type statusEntry struct {
	Path   string `xml:"path,attr"`
	Status struct {
		Item    string `xml:"item,attr"`
		Props   string `xml:"props,attr"`
		Locked  bool   `xml:"wc-locked,attr"`
		Tree    bool   `xml:"tree-conflicted,attr"`
		MovedTo string `xml:"moved-to,attr"`
	} `xml:"wc-status"`
	Coming struct {
		Item string `xml:"item,attr"`
	} `xml:"repos-status"`
}

// parseStatus reads what svn status prints.
func parseStatus(out []byte) ([]statusEntry, error) {
	var status struct {
		Entries []statusEntry `xml:"target>entry"`
		Listed  []statusEntry `xml:"changelist>entry"` // that a person has in a changelist
	}
	if err := xml.Unmarshal(out, &status); err != nil {
		return nil, fmt.Errorf("svn status printed what cannot be read: %w", err)
	}
	return append(status.Entries, status.Listed...), nil
}

// Changes returns what came and went of the names, and the directories of them that
// svn does not know. What is in those is created, ignored or not. Where another process
// has the working copy, a *LockedError comes with what is known all the same.
func (w *SVNCopy) Changes(names ...string) (c *Changes, dirs []string, err error) {
	c = &Changes{}
	entries, err := w.status(names)
	if err != nil {
		return c, nil, err
	}
	locked := false
	for _, e := range entries {
		locked = locked || e.Status.Locked
		name, err := w.relative(e.Path)
		if err != nil {
			return c, nil, err
		}
		if dir := w.sort(c, filepath.ToSlash(name), e); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if locked {
		return c, dirs, w.lockedError()
	}
	return c, dirs, nil
}

// sort puts an entry of svn status where it belongs, and returns it where it is a
// directory that svn does not know.
func (w *SVNCopy) sort(c *Changes, name string, e statusEntry) (dir string) {
	info, err := os.Lstat(filepath.Join(w.dir, name))
	there := err == nil
	switch {
	case e.Status.Tree || e.Status.Item == "conflicted" || e.Status.Item == "obstructed":
		c.Conflicts = append(c.Conflicts, name)
	case e.Status.Item == "unversioned" && there && info.IsDir():
		return name
	case e.Status.Item == "unversioned":
		c.Created = append(c.Created, name)
	case e.Status.Item == "missing":
		c.Deleted = append(c.Deleted, name)
	case e.Status.Item == "deleted" && there && !info.IsDir() && e.Status.MovedTo != "":
		c.Created = append(c.Created, name) // another file in the place of one that was moved
	case e.Status.Item == "deleted" && there && !info.IsDir():
		c.Returned = append(c.Returned, name)
	case e.Status.Item != "deleted":
		c.Edited = append(c.Edited, name)
	}
	return ""
}

// status returns what svn status lists of the names. One that is not there has nothing.
func (w *SVNCopy) status(names []string) ([]statusEntry, error) {
	args := []string{"--xml", "--ignore-externals"}
	for _, name := range names {
		args = append(args, at(name))
	}
	out, err := w.svn(context.Background(), w.dir, "status", args...).Text()
	for tries := 1; tool.Says(err, svnNameWent) && tries < maxTries; tries++ {
		out, err = w.svn(context.Background(), w.dir, "status", args...).Text()
	}
	if err != nil {
		return nil, w.locked("find what svn does not know", err)
	}
	return parseStatus(out)
}

// Known is what svn has of a file.
type Known struct {
	Base     string    // the SHA-1 of the text that the working copy was last brought to
	Written  time.Time // when svn wrote the file last, if it is as it was then; by the file's clock
	Conflict bool      // svn has a conflict about its text, or about its being there
	From     string    // the URL that it was copied from
}

// Knows returns which of the names svn has, not counting those that it is to delete.
func (w *SVNCopy) Knows(names []string) (map[string]Known, error) {
	known := make(map[string]Known)
	if len(names) == 0 {
		return known, nil
	}
	var out []byte
	err := w.withTargets(names, func(list string) (err error) {
		out, err = w.svn(context.Background(), w.dir, "info", "--xml", "--targets", list).Text()
		return err
	})
	if err != nil && !onlyMissing(err) {
		return nil, w.locked("find what svn has", err)
	}
	err = eachNode(bytes.NewReader(out), func(n node) error {
		name, err := w.relative(n.path)
		if err == nil && n.schedule != "delete" {
			written, _ := time.Parse(time.RFC3339Nano, n.updated) // a directory has none
			known[filepath.ToSlash(name)] = Known{Base: n.checksum, Written: written, Conflict: n.content() != nil, From: n.copiedFrom}
		}
		return err
	})
	return known, err
}

// Add adds files and directories, and those above that svn does not know, without what
// is in them.
func (w *SVNCopy) Add(names []string) error {
	return w.each("tell svn what was created", names, "add", "--quiet", "--parents", "--depth", "empty")
}

// Delete has svn know files as deleted. None is removed from the disk.
func (w *SVNCopy) Delete(names []string) error {
	return w.each("tell svn what was deleted", names, "delete", "--quiet", "--keep-local")
}

// Revert has files be as svn has them: the caller has their texts.
func (w *SVNCopy) Revert(names []string) error {
	return w.each("tell svn what is there again", names, "revert", "--quiet")
}

func (w *SVNCopy) each(what string, names []string, verb string, options ...string) error {
	if len(names) == 0 {
		return nil
	}
	err := w.withTargets(names, func(list string) error {
		_, err := w.svn(context.Background(), w.dir, verb, append(options, "--targets", list)...).Text()
		return err
	})
	return w.locked(what, err)
}

// withTargets has a call read the names from a file: a command line has its limits.
func (w *SVNCopy) withTargets(names []string, do func(list string) error) error {
	list, err := os.CreateTemp("", "worldfs-svn-")
	if err != nil {
		return err
	}
	defer os.Remove(list.Name())
	defer list.Close()
	targets := slices.Clone(names)
	for i, name := range targets {
		targets[i] = at(name)
	}
	if _, err := list.WriteString(lines(targets)); err != nil {
		return err
	}
	return do(list.Name())
}

// at returns a name for svn, which reads an @ in it otherwise.
func at(name string) string {
	if strings.Contains(name, "@") {
		return name + "@"
	}
	return path.Clean(name)
}

// locked returns what failed, as a LockedError where another process has the working
// copy.
func (w *SVNCopy) locked(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case tool.Says(err, svnLocked, svnDatabaseBusy):
		return w.lockedError()
	}
	return fmt.Errorf("%s: %w", what, w.explain(err))
}

func (w *workingCopy) lockedError() error {
	top := w.dir
	for top != "/" && !isDirectory(filepath.Join(top, ".svn")) {
		top = filepath.Dir(top)
	}
	return &LockedError{Tool: "the svn working copy", Lock: top, Free: "svn cleanup " + top}
}

func isDirectory(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
