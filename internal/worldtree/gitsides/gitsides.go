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
	if sides[0], err = openBase(root, slices.Sorted(slices.Values(op.Bases)), o, earlier); err != nil {
		return sides, err
	}
	o.Like = append(o.Like, sides[0])
	sides[2], err = worldform.Open("git:"+op.Theirs, o)
	return sides, err
}

// openBase opens what two sides have in common. Where that is several commits, as after
// merges both ways, it is what comes of merging those: the same on every machine.
func openBase(root string, bases []string, o worldform.Options, earlier []renumbered.Entity) (*worldform.World, error) {
	if len(bases) == 0 {
		return &worldform.World{Types: &entity.Types{}, Source: &entity.World{}}, nil
	}
	first, err := worldform.Open("git:"+bases[0], o)
	if errors.Is(err, worldform.ErrNoWorld) {
		return openBase(root, nil, o, nil) // the world came into the repository on both sides
	}
	if err != nil || len(bases) == 1 {
		return first, err
	}
	second, err := openBase(root, bases[1:], o, earlier)
	if err != nil {
		return nil, err
	}
	git := vcs.Git{Dir: root}
	below, err := git.MergeBases(bases[0], bases[1])
	if err != nil {
		return nil, err
	}
	base, err := openBase(root, below, o, earlier)
	if err != nil {
		return nil, err
	}
	worlds := [3]*worldform.World{base, first, second}
	op := &vcs.Operation{Kind: vcs.Merging, Bases: below, Ours: bases[0], Theirs: bases[1]}
	renumbered.Follow(git, op, append(renumbered.InHistory(git, op), earlier...), &worlds)
	if _, err := withCommon(root, op, &worlds); err != nil {
		return nil, err
	}
	sides := worldform.Sides(worlds)
	result, err := merge.Worlds(sides[0], sides[1], sides[2], merge.Options{Policy: merge.Mine, Peers: true})
	if err != nil {
		return nil, fmt.Errorf("merge the common ancestors: %w", err)
	}
	return &worldform.World{ID: first.ID, Types: result.Types, Source: result.World(first.ID)}, nil
}
