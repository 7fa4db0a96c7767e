package resolve

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// creators returns what tells a merge for whom entities were created: the author of the
// commit that brought one, where a range is that person's by name.
func (r *Resolution) creators(ranges []merge.Range) func(merge.Party, []entity.ID) map[entity.ID][]string {
	keys := make(map[string]string) // by their names in lower case
	for _, in := range ranges {
		for _, key := range in.Owners {
			keys[strings.ToLower(key)] = key
		}
	}
	git, ok := r.control.(*gitControl)
	if len(keys) == 0 || !ok {
		return nil
	}
	return func(p merge.Party, ids []entity.ID) map[entity.ID][]string {
		rev := r.Operation.Ours
		if p == merge.Theirs {
			rev = r.Operation.Theirs
		}
		files := make([]string, len(ids))
		for i, id := range ids {
			files[i] = r.dir.Settings.Shard.Name(id)
		}
		commits, _ := git.Creators(r.Operation.Bases, rev, files) // what git does not tell is not known
		out := make(map[entity.ID][]string)
		for i, id := range ids {
			if key := keys[strings.ToLower(commits[files[i]].Author)]; key != "" {
				out[id] = []string{key}
			}
		}
		return out
	}
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
