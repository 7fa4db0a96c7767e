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
	"strconv"
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
		if now.Git, err = inGit(dir.Root, seen.Git, look); err != nil {
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
func inGit(root string, seen []string, look func(entity.ID)) (tips []string, err error) {
	git, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return seen, err
	}
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
	// -m has what a merge itself brought, such as entities that got another ID in it.
	always := []string{"log", "--stdin", "-m", "--no-renames", "--diff-filter=A", "--format=", "--name-only", "-z"}
	out, err := git.Call(revisions, append(always, options...)...)
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
	svn := func(verb string, args ...string) ([]byte, error) {
		env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=")
		return tool.New(ctx, root, env, "svn", append([]string{verb, "--non-interactive"}, args...)...).Text()
	}
	out, err := svn("info", "--show-item", "revision", ".")
	if err != nil {
		return seen, err
	}
	revision, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil || revision <= seen {
		return seen, err
	}
	out, err = svn("log", "--xml", "-q", "-v", "-r", fmt.Sprintf("%d:%d", seen+1, revision), ".")
	if err != nil {
		return seen, fmt.Errorf("read which IDs svn has had: %w", err)
	}
	var log struct {
		Paths []struct {
			Action string `xml:"action,attr"`
			Path   string `xml:",chardata"`
		} `xml:"logentry>paths>path"`
	}
	if err := xml.Unmarshal(out, &log); err != nil {
		return seen, fmt.Errorf("svn log printed what cannot be read: %w", err)
	}
	for _, p := range log.Paths {
		if p.Action == "A" || p.Action == "R" {
			lookAt(p.Path, look)
		}
	}
	return revision, nil
}

// maxNamed is of how many IDs git is asked by the names of their files: of more it is asked
// about all files.
const maxNamed = 100

// Former returns those of some IDs that version control had before: in git the commits that
// HEAD comes from, in svn the revisions up to the working copy's, which its server is asked.
func Former(ctx context.Context, dir *worlddir.Dir, ids []entity.ID) (former map[entity.ID]bool, err error) {
	former = make(map[entity.ID]bool)
	look := func(id entity.ID) {
		if slices.Contains(ids, id) {
			former[id] = true
		}
	}
	switch {
	case dir.WorkingCopy(".git") != "":
		err = formerInGit(dir.Root, ids, look)
	case dir.WorkingCopy(".svn") != "":
		_, err = inSVN(ctx, dir.Root, 0, look)
	}
	return former, err
}

func formerInGit(root string, ids []entity.ID, look func(entity.ID)) error {
	git, err := vcs.Git{Dir: root}.Caller()
	if err != nil {
		return err
	}
	names := []string{worlddir.EntitiesName}
	if len(ids) <= maxNamed {
		names = nil
		for _, id := range ids {
			names = append(names, layout.Places(id)...)
		}
	}
	return added(git, []byte("HEAD\n--\n"+strings.Join(names, "\n")+"\n"), look, "--full-history")
}

func lookAt(name string, look func(entity.ID)) {
	if id, ok := layout.ParseFileName(path.Base(strings.TrimSpace(name))); ok {
		look(id)
	}
}
