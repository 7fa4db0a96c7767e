// Package gitsides opens the three worlds that git brings together in a merge, a rebase and
// the like: from git's objects alone, whatever is checked out. What both sides have in common
// is found where git sees less of it: of several merge bases it is what comes of merging
// those, and of what came to both sides as two commits, the last that they had alike.
package gitsides

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
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
	if sides[2], err = worldform.Open("git:"+op.Theirs, o); err != nil {
		return sides, err
	}
	o.Like = append(o.Like, sides[2])
	b := bases{root, op, o, [2]*worldform.World{sides[1], sides[2]}}
	sides[0], err = b.open(slices.Sorted(slices.Values(op.Bases)), earlier)
	return sides, err
}
