package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitlog"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// gitControl is git.
type gitControl struct {
	vcs.Git
	op      *vcs.Operation
	common  map[entity.ID]*entity.Entity // of the base, by what both sides were
	earlier []renumbered.Entity          // that got another ID in other operations
}

func (g *gitControl) name() string { return "git" }

func (g *gitControl) operation() *vcs.Operation { return g.op }

func (g *gitControl) index(q vcs.Query) (*vcs.Index, error) { return g.Index(q) }

func (g *gitControl) sides(root string) (sides [3]*worldform.World, err error) {
	sides, g.common, err = gitsides.Open(root, g.op, g.earlier)
	return sides, err
}

func (g *gitControl) authors(side int, files []string) map[string]vcs.Commit {
	base := g.op.Bases[:min(1, len(g.op.Bases))]
	commits, _ := gitlog.Authors(g.Git, base, [2]string{g.op.Ours, g.op.Theirs}[side], files) // what git does not tell is not known
	return commits
}

func (g *gitControl) isUnmerged(q vcs.Query) (bool, error) { return g.IsUnmerged(q) }

func (g *gitControl) merged(q vcs.Query) (bool, error) {
	if len(g.op.Bases) == 0 {
		return false, nil
	}
	for _, side := range []string{g.op.Ours, g.op.Theirs} {
		if differs, err := g.Differs(g.op.Bases[0], side, q); !differs || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (g *gitControl) file(_ *vcs.Index, name string, _ [3]vcs.Listed) (sides [3][]byte, err error) {
	revs := [3]string{"", g.op.Ours, g.op.Theirs}
	if len(g.op.Bases) > 0 {
		revs[0] = g.op.Bases[0]
	}
	for i, rev := range revs {
		if rev == "" {
			continue
		}
		for f, err := range g.Files(vcs.Query{Rev: rev, Names: []string{name}, Limit: idrange.MaxSize}) {
			if err != nil {
				return sides, err
			}
			sides[i] = f.Data
		}
	}
	return sides, nil
}

// isToCommit reports whether what this call, or an earlier one, such as a hook's, has changed
// in a merge that git had gone through with is not committed yet.
func (r *Resolution) isToCommit(d Done) bool {
	git, ok := r.control.(*gitControl)
	if !ok || r.Operation.Kind == vcs.Unstashing || d.Written+d.Removed+len(r.past.Wrote) == 0 {
		return false
	}
	if d.Written+d.Removed > 0 { // it may be as it was committed again
		is, err := git.IsUncommitted(indexQuery())
		return is || err != nil
	}
	staged, err := git.StagedChanges("HEAD", indexQuery())
	return err == nil && slices.ContainsFunc(staged, func(name string) bool {
		_, wrote := r.past.Wrote[name]
		return wrote
	})
}

// isCommon reports whether the base has an entity by withCommon alone.
func (r *Resolution) isCommon(id entity.ID) bool {
	git, ok := r.control.(*gitControl)
	_, listed := r.sides[0].Object(id)
	return ok && git.common[id] != nil && !listed
}
