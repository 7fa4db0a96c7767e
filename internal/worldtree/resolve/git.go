package resolve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// gitControl is git.
type gitControl struct {
	vcs.Git
	op     *vcs.Operation
	common map[entity.ID]*entity.Entity // by withCommon
}

func (g *gitControl) name() string { return "git" }

func (g *gitControl) operation() *vcs.Operation { return g.op }

func (g *gitControl) index(q vcs.Query) (*vcs.Index, error) { return g.Index(q) }

func (g *gitControl) sides(root string) (sides [3]*worldform.World, err error) {
	if sides, err = openSides(root, g.op); err == nil {
		g.common, err = withCommon(root, g.op.Ours, g.op.Theirs, &sides)
	}
	return sides, err
}

func (g *gitControl) authors(side int, files []string) map[string]vcs.Commit {
	base := ""
	if len(g.op.Bases) > 0 {
		base = g.op.Bases[0]
	}
	commits, _ := g.Authors(base, [2]string{g.op.Ours, g.op.Theirs}[side], files) // what git does not tell is not known
	return commits
}

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

// openSides opens the worlds that git brings together.
func openSides(root string, op *vcs.Operation) (sides [3]*worldform.World, err error) {
	o := worldform.Options{Dir: root, First: true}
	if sides[1], err = worldform.Open("git:"+op.Ours, o); err != nil {
		return sides, err
	}
	o.First, o.Types, o.Like = false, sides[1].Types, []*worldform.World{sides[1]}
	if sides[0], err = openBase(root, slices.Sorted(slices.Values(op.Bases)), o); err != nil {
		return sides, err
	}
	o.Like = append(o.Like, sides[0])
	sides[2], err = worldform.Open("git:"+op.Theirs, o)
	return sides, err
}

// openBase opens what two sides have in common. Where that is several commits, as after
// merges both ways, it is what comes of merging those: the same on every machine.
func openBase(root string, bases []string, o worldform.Options) (*worldform.World, error) {
	if len(bases) == 0 {
		return &worldform.World{Types: &entity.Types{}, Source: &entity.World{}}, nil
	}
	first, err := worldform.Open("git:"+bases[0], o)
	if errors.Is(err, worldform.ErrNoWorld) {
		return openBase(root, nil, o) // the world came into the repository on both sides
	}
	if err != nil || len(bases) == 1 {
		return first, err
	}
	second, err := openBase(root, bases[1:], o)
	if err != nil {
		return nil, err
	}
	below, err := vcs.Git{Dir: root}.MergeBases(bases[0], bases[1])
	if err != nil {
		return nil, err
	}
	base, err := openBase(root, below, o)
	if err != nil {
		return nil, err
	}
	worlds := [3]*worldform.World{base, first, second}
	if _, err := withCommon(root, bases[0], bases[1], &worlds); err != nil {
		return nil, err
	}
	sides := worldform.Sides(worlds)
	result, err := merge.Worlds(sides[0], sides[1], sides[2], merge.Options{Policy: merge.Mine, Peers: true})
	if err != nil {
		return nil, fmt.Errorf("merge the common ancestors: %w", err)
	}
	return &worldform.World{ID: first.ID, Types: result.Types, Source: result.World(first.ID)}, nil
}

// isToCommit reports whether what an earlier call, such as a hook's, has changed in a merge
// that git had gone through with is not committed yet.
func (r *Resolution) isToCommit() bool {
	git, ok := r.control.(*gitControl)
	if !ok || len(r.past.Wrote) == 0 {
		return false
	}
	staged, err := git.StagedChanges("HEAD", indexQuery())
	return err == nil && slices.ContainsFunc(staged, func(name string) bool {
		_, wrote := r.past.Wrote[name]
		return wrote
	})
}
