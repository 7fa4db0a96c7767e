package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/creators"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// creators returns what tells a merge for whom entities were created.
func (r *Resolution) creators(ranges []merge.Range) func(merge.Party, []entity.ID) map[entity.ID][]string {
	switch c := r.control.(type) {
	case *gitControl:
		return creators.Find(ranges, r.dir.Settings.Shard.Name, creators.InGit(c.Git, r.Operation))
	case svnControl:
		if theirs := c.Theirs(); theirs != "" && r.past.Given != nil {
			return creators.Find(ranges, r.dir.Settings.Shard.Name, r.past.Given.Creators.Of(creators.InSVN(r.dir.Root, theirs)))
		}
	}
	return nil
}

// program returns the side whose commits all are by programs, where git has them.
func (r *Resolution) program(ranges []merge.Range) merge.Party {
	git, ok := r.control.(*gitControl)
	if !ok {
		return merge.Neither
	}
	return programOf(git.Git, r.Operation, r.dir.Settings.Merge.Programs, ranges)
}

// programOf returns the side of an operation whose commits all are by programs: roles of
// merge.programs, or those that have a disposable range. Neither where both sides' are, or
// none is.
func programOf(git vcs.Git, op *vcs.Operation, programs []string, ranges []merge.Range) merge.Party {
	programs = slices.Clone(programs)
	for _, in := range ranges {
		if in.Disposable {
			programs = append(programs, in.Owners...)
		}
	}
	ours, theirs := gitsides.AllBy(git, op.Bases, op.Ours, programs), gitsides.AllBy(git, op.Bases, op.Theirs, programs)
	switch {
	case ours == theirs:
		return merge.Neither
	case ours:
		return merge.Ours
	}
	return merge.Theirs
}
