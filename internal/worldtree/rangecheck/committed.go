package rangecheck

import (
	"errors"
	"path"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// reader returns version control and the revision that the working copy is made from; ok is
// whether there is any.
func reader(dir *worlddir.Dir) (r vcs.Reader, revision string, ok bool) {
	switch {
	case dir.WorkingCopy(".git") != "":
		return vcs.Git{Dir: dir.Root}, "HEAD", true
	case dir.WorkingCopy(".svn") != "":
		return vcs.SVN{Dir: dir.Root}, vcs.Base, true
	}
	return nil, "", false
}

// committedIDs returns the IDs of the entities that the working copy is made from; ok is
// whether there is any version control that knows.
func committedIDs(dir *worlddir.Dir) (ids map[entity.ID]bool, ok bool, err error) {
	r, revision, ok := reader(dir)
	if !ok {
		return nil, false, nil
	}
	ids = make(map[entity.ID]bool)
	q := vcs.Query{Rev: revision, Names: []string{worlddir.EntitiesName}, Want: func(name string) bool {
		if id, ok := layout.ParseFileName(path.Base(name)); ok {
			ids[id] = true
		}
		return false // the name says all
	}}
	for _, err := range r.Files(q) {
		if errors.Is(err, vcs.ErrNoRevision) {
			return nil, false, nil // nothing was ever committed: there is no one else
		}
		if err != nil {
			return nil, false, err
		}
	}
	return ids, len(ids) > 0, nil
}

// Unknown returns those of the ranges that are ours and that others cannot know of: in
// git what the branch follows does not have them, as far as was heard, or where it follows
// none the last commit; in svn the last update or commit.
func Unknown(w *idalloc.World, ranges []idrange.Range) (unknown []idrange.Range, err error) {
	r, revision, ok := reader(w.Dir)
	if !ok {
		return nil, nil
	}
	if git, isGit := r.(vcs.Git); isGit {
		if caller, err := git.Caller(); err == nil {
			if upstream, err := caller.Line("rev-parse", "-q", "--verify", "@{upstream}^{commit}"); err == nil {
				revision = upstream
			}
		}
	}
	var known []idrange.Range
	for f, err := range r.Files(vcs.Query{Rev: revision, Names: []string{worlddir.RangesName}, Limit: idrange.MaxSize}) {
		if errors.Is(err, vcs.ErrNoRevision) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if known, err = idrange.Parse(f.Data, ""); err != nil {
			return nil, nil // it says so to those that have it
		}
	}
	keys := w.Keys()
	for _, r := range ranges {
		same := func(o idrange.Range) bool {
			return o.From == r.From && o.To == r.To && slices.Equal(o.Owners(), r.Owners())
		}
		if r.IsOf(keys) && !slices.ContainsFunc(known, same) {
			unknown = append(unknown, r)
		}
	}
	return unknown, nil
}
