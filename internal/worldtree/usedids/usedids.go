// Package usedids finds which entities' IDs were once used in a world: those that its version
// control, or its local history, has files of, also where they are deleted by now.
//
// A reading by Since says how far it went, and the next one goes on from there. What cannot be asked
// now, such as a server that is not reached, is asked the next time.
package usedids

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
	"github.com/worldfs/worldfs/internal/support/tool"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Seen is how far the histories of a clone were read.
type Seen struct {
	Git     []string `json:"git,omitempty"`     // the commits whose ancestors were read
	SVN     int64    `json:"svn,omitempty"`     // the revision up to which
	History uint64   `json:"history,omitempty"` // the position in the local history
}

// Since has the IDs looked at that came into use since a clone's histories were read, some
// of them more than once, and returns how far they were read now. An error comes with how far
// the others were.
func Since(ctx context.Context, dir *worlddir.Dir, seen Seen, look func(entity.ID)) (Seen, error) {
	now := seen
	var errs []error
	var err error
	if now.History, err = history.Since(dir.HistoryPath(), seen.History, func(e *history.Entry) { look(e.ID) }); err != nil {
		errs = append(errs, err)
	}
	if dir.WorkingCopy(".git") != "" {
		if now.Git, err = inGit(ctx, dir.Root, seen.Git, look); err != nil {
			errs = append(errs, err)
		}
	}
	if dir.WorkingCopy(".svn") != "" {
		if now.SVN, err = inSVN(ctx, dir.Root, seen.SVN, look); err != nil {
			errs = append(errs, err)
		}
	}
	return now, errors.Join(errs...)
}

// inGit reads what the commits of a repository have added since others were read.
func inGit(ctx context.Context, root string, seen []string, look func(entity.ID)) (tips []string, err error) {
	git, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return seen, err
	}
	git = git.Within(ctx)
	if tips, err = tipsOf(git); err != nil || slices.Equal(tips, seen) {
		return tips, err
	}
	revisions := strings.Join(tips, "\n") + "\n"
	for _, s := range seen {
		revisions += "^" + s + "\n"
	}
	revisions += "--\n" + worlddir.EntitiesName + "\n"
	if err := added(git, []byte(revisions), look, "--ignore-missing"); err != nil {
		return seen, err
	}
	return tips, nil
}

// added has the IDs looked at whose files commits have added. revisions is what git's log
// reads: which commits, and of which files.
func added(git *vcs.Caller, revisions []byte, look func(entity.ID), options ...string) error {
	// -m has what a merge itself brought, such as entities that got another ID in it. --stdin
	// is read where it stands: what says how comes before it.
	options = append([]string{"log", "-m", "--no-renames", "--diff-filter=A", "--format=", "--name-only", "-z"}, options...)
	out, err := git.Call(revisions, append(options, "--stdin")...)
	if err != nil {
		return fmt.Errorf("read which IDs git has had: %w", err)
	}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		lookAt(string(name), look)
	}
	return nil
}

// tipsOf returns the commits that branches, tags and HEAD are at, in order.
func tipsOf(git *vcs.Caller) (tips []string, err error) {
	out, err := git.Call(nil, "for-each-ref", "--format=%(objectname)")
	if err != nil {
		return nil, err
	}
	tips = strings.Fields(string(out))
	if head, err := git.Line("rev-parse", "-q", "--verify", "HEAD"); err == nil { // there may be none yet
		tips = append(tips, head)
	}
	slices.Sort(tips)
	return slices.Compact(tips), nil
}

// inSVN reads what the revisions up to the working copy's have added since one of them.
func inSVN(ctx context.Context, root string, seen int64, look func(entity.ID)) (revision int64, err error) {
	c, err := copyOf(ctx, root)
	if err != nil || c.revision <= seen {
		return seen, err
	}
	if err := c.added(ctx, seen, look); err != nil {
		return seen, err
	}
	return c.revision, nil
}

// svnCopy is a working copy of svn's.
type svnCopy struct {
	root     string
	of       string // which directory of which repository
	revision int64
}

// copyOf asks svn about a working copy, and not its server.
func copyOf(ctx context.Context, root string) (c svnCopy, err error) {
	c.root = root
	out, err := c.svn(ctx, "info", "--xml", ".")
	if err != nil {
		return c, err
	}
	var info struct {
		Entry struct {
			Revision int64  `xml:"revision,attr"`
			Place    string `xml:"relative-url"`
			UUID     string `xml:"repository>uuid"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(out, &info); err != nil {
		return c, fmt.Errorf("svn info printed what cannot be read: %w", err)
	}
	c.of, c.revision = info.Entry.UUID+" "+info.Entry.Place, info.Entry.Revision
	return c, nil
}

func (c *svnCopy) svn(ctx context.Context, verb string, args ...string) ([]byte, error) {
	env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=")
	return tool.New(ctx, c.root, env, "svn", append([]string{verb, "--non-interactive"}, args...)...).Text()
}

// added has the IDs looked at whose files the revisions since one of them have added.
func (c *svnCopy) added(ctx context.Context, seen int64, look func(entity.ID)) error {
	out, err := c.svn(ctx, "log", "--xml", "-q", "-v", "-r", fmt.Sprintf("%d:%d", seen+1, c.revision), ".")
	if err != nil {
		return fmt.Errorf("read which IDs svn has had: %w", err)
	}
	var log struct {
		Paths []struct {
			Action string `xml:"action,attr"`
			Path   string `xml:",chardata"`
		} `xml:"logentry>paths>path"`
	}
	if err := xml.Unmarshal(out, &log); err != nil {
		return fmt.Errorf("svn log printed what cannot be read: %w", err)
	}
	for _, p := range log.Paths {
		if p.Action == "A" || p.Action == "R" {
			lookAt(p.Path, look)
		}
	}
	return nil
}

func lookAt(name string, look func(entity.ID)) {
	if id, ok := layout.ParseFileName(path.Base(strings.TrimSpace(name))); ok {
		look(id)
	}
}
