package gitsides

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// bases opens what the sides of an operation have in common.
type bases struct {
	root    string
	op      *vcs.Operation
	options worldform.Options
}

// open opens what comes of commits. Where those are several, as after merges both ways, it is
// what comes of merging those: the same on every machine. earlier are the entities that got
// another ID since.
func (b *bases) open(commits []string, earlier []renumbered.Entity) (*worldform.World, error) {
	if len(commits) == 0 {
		return &worldform.World{Types: &entity.Types{}, Source: &entity.World{}}, nil
	}
	first, err := worldform.Open("git:"+commits[0], b.options)
	if errors.Is(err, worldform.ErrNoWorld) {
		return b.open(nil, nil) // the world came into the repository on both sides
	}
	if err != nil || len(commits) == 1 {
		return first, err
	}
	second, err := b.open(commits[1:], earlier)
	if err != nil {
		return nil, err
	}
	return b.merge(commits, [2]*worldform.World{first, second}, earlier)
}

// merge merges the world of the first of some commits with what comes of the others. Both
// sides of the operation have merged them, too: what had the ID of another there got the one
// that it has in the sides, and needs no third.
func (b *bases) merge(commits []string, worlds [2]*worldform.World, earlier []renumbered.Entity) (*worldform.World, error) {
	git := vcs.Git{Dir: b.root}
	below, err := git.MergeBases(commits[0], commits[1])
	if err != nil {
		return nil, err
	}
	op := &vcs.Operation{Kind: vcs.Merging, Bases: below, Ours: commits[0], Theirs: commits[1]}
	between := append(renumbered.InHistory(git, op), earlier...)
	base, err := b.open(below, between)
	if err != nil {
		return nil, err
	}
	sides := [3]*worldform.World{base, worlds[0], worlds[1]}
	for i, of := range [][]string{below, commits[:1], commits[1:]} {
		if len(of) == 1 { // of several that was done where those came together
			sides[i] = renumbered.AsInSides(git, b.op, between, of[0], sides[i])
		}
	}
	if _, err := withCommon(b.root, op, &sides); err != nil {
		return nil, err
	}
	result, err := mergeUndecided(worldform.Sides(sides))
	if err != nil {
		return nil, fmt.Errorf("merge the common ancestors: %w", err)
	}
	return &worldform.World{ID: worlds[0].ID, Types: result.Types, Source: result.World(worlds[0].ID)}, nil
}

// mergeUndecided merges with neither side decided for: what is in conflict is as it was
// before. The sides of the operation have each decided, perhaps otherwise. With the value of
// one for a base, what the other decided would give way without a word.
func mergeUndecided(sides [3]merge.Side) (*merge.Result, error) {
	options := merge.Options{Policy: merge.Mine, Peers: true}
	result, err := merge.Worlds(sides[0], sides[1], sides[2], options)
	if err != nil || len(result.Conflicts) == 0 {
		return result, err
	}
	options.Amended = undecided(&sides, result.Conflicts)
	return merge.Worlds(sides[0], sides[1], sides[2], options)
}

// undecided has both sides be as the base is where there are conflicts, and returns where.
func undecided(sides *[3]merge.Side, conflicts []merge.Conflict) map[merge.Amendment]bool {
	amended := make(map[merge.Amendment]bool)
	changes := [2]map[entity.ID]*entity.Entity{{}, {}}
	for _, c := range conflicts {
		base, has := sides[0].Entities.Get(c.ID)
		if !has {
			continue // of what both have made there is no before
		}
		amended[merge.Amendment{ID: c.ID, Field: c.Field}] = true
		for i := range changes {
			e, changed := changes[i][c.ID]
			if !changed {
				e, _ = sides[i+1].Entities.Get(c.ID)
			}
			if c.Field == "" || e == nil {
				e = base
			} else {
				e = e.WithField(c.Field, base)
			}
			changes[i][c.ID] = e
		}
	}
	for i, change := range changes {
		sides[i+1].Entities = entity.NewOverlay(sides[i+1].Entities, change)
	}
	return amended
}
