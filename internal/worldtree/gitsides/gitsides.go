// Package gitsides opens the three worlds that git brings together in a merge, a rebase and
// the like: from git's objects alone, whatever is checked out. What both sides have in common
// is found where git sees less of it: of several merge bases it is what comes of merging
// those, and of what came to both sides as two commits, the last that they had alike.
package gitsides

import (
	"errors"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/merge"
)

// Open opens the sides of an operation: base, ours and theirs. The entities of common are in
// the base as both sides once had them alike, which is not what the base's commit has.
// earlier are those that got another ID in merges that are known.
func Open(root string, op *vcs.Operation, earlier []renumbered.Entity) (sides [3]*worldform.World, common map[entity.ID]*entity.Entity, err error) {
	if sides, err = read(root, op, earlier); err == nil {
		common, err = withCommon(root, op, &sides)
	}
	return sides, common, err
}

// read opens the worlds of the commits.
func read(root string, op *vcs.Operation, earlier []renumbered.Entity) (sides [3]*worldform.World, err error) {
	o := worldform.Options{Dir: root, First: true, Like: worldform.AtHand(root)}
	if sides[1], err = worldform.Open("git:"+op.Ours, o); err != nil {
		return sides, err
	}
	o.First, o.Types, o.Like = false, sides[1].Types, []*worldform.World{sides[1]}
	if sides[0], err = (&bases{root, op, o}).open(slices.Sorted(slices.Values(op.Bases)), earlier); err != nil {
		return sides, err
	}
	o.Like = append(o.Like, sides[0])
	sides[2], err = worldform.Open("git:"+op.Theirs, o)
	return sides, err
}

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

// merge merges the world of the first of some commits with what comes of the others.
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
	for i, under := range [][]string{below, commits[:1], commits[1:]} {
		if len(under) == 1 { // of several that was done where those were merged
			sides[i] = renumbered.AsInSides(git, b.op, between, under[0], sides[i])
		}
	}
	renumbered.Follow(git, op, between, &sides)
	if _, err := withCommon(b.root, op, &sides); err != nil {
		return nil, err
	}
	merged := worldform.Sides(sides)
	result, err := merge.Worlds(merged[0], merged[1], merged[2], merge.Options{Policy: merge.Mine, Peers: true})
	if err != nil {
		return nil, fmt.Errorf("merge the common ancestors: %w", err)
	}
	return &worldform.World{ID: worlds[0].ID, Types: result.Types, Source: result.World(worlds[0].ID)}, nil
}
