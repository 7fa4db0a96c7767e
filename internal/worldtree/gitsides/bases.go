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
	heads   [2]*worldform.World // ours and theirs
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
	result, err := mergeUndecided(worldform.Sides(sides), [2]entity.Source{b.heads[0].Source, b.heads[1].Source})
	if err != nil {
		return nil, fmt.Errorf("merge the common ancestors: %w", err)
	}
	return &worldform.World{ID: worlds[0].ID, Types: result.Types, Source: result.World(worlds[0].ID)}, nil
}

// mergeUndecided merges what the sides of an operation, the heads, have both merged. Each has
// decided what was in conflict, perhaps otherwise than the other: for neither's decision to
// give way without a word, the base is none of those, if it can be.
func mergeUndecided(sides [3]merge.Side, heads [2]entity.Source) (*merge.Result, error) {
	options := merge.Options{Policy: merge.Mine, Peers: true}
	result, err := merge.Worlds(sides[0], sides[1], sides[2], options)
	if err != nil || len(result.Conflicts) == 0 {
		return result, err
	}
	options.Amended = undecided(&sides, heads, result.Conflicts)
	return merge.Worlds(sides[0], sides[1], sides[2], options)
}

// undecided has both sides have the same where they are in conflict, and returns where.
func undecided(sides *[3]merge.Side, heads [2]entity.Source, conflicts []merge.Conflict) map[merge.Amendment]bool {
	amended := make(map[merge.Amendment]bool)
	changes := [2]map[entity.ID]*entity.Entity{{}, {}}
	for _, c := range conflicts {
		base, has := sides[0].Entities.Get(c.ID)
		if !has {
			continue // of what both have made there is no before
		}
		amended[merge.Amendment{ID: c.ID, Field: c.Field}] = true
		was := [3]*entity.Entity{base, get(sides[1].Entities, c.ID), get(sides[2].Entities, c.ID)}
		is := [2]*entity.Entity{get(heads[0], c.ID), get(heads[1], c.ID)}
		for i := range changes {
			e, changed := changes[i][c.ID]
			if !changed {
				e = was[i+1]
			}
			if c.Field == "" || e == nil {
				e = undecidedEntity(was, is)
			} else {
				e = e.WithField(c.Field, undecidedField(c.Field, was, is))
			}
			changes[i][c.ID] = e
		}
	}
	for i, change := range changes {
		sides[i+1].Entities = entity.NewOverlay(sides[i+1].Entities, change)
	}
	return amended
}

func get(source entity.Source, id entity.ID) *entity.Entity {
	e, _ := source.Get(id)
	return e
}

// undecidedEntity returns an entity that one side has deleted as the other has changed it:
// that is what has come of it where both heads have kept it. Where one alone has, unchanged
// since, it is as before: that is in conflict with its deletion.
func undecidedEntity(was [3]*entity.Entity, is [2]*entity.Entity) *entity.Entity {
	for _, e := range was[1:] {
		if e == nil || e.Same(was[0]) {
			continue
		}
		kept := is[0]
		if kept == nil {
			kept = is[1]
		}
		if is[0] != nil && is[1] != nil || kept == nil || !kept.Same(e) {
			return e
		}
	}
	return was[0]
}

// undecidedField returns an entity with a value of a field that neither head has: as it was
// before, or as the head's has it that neither has decided for.
func undecidedField(field string, was [3]*entity.Entity, is [2]*entity.Entity) *entity.Entity {
	for _, e := range was {
		decided := false
		for _, head := range is {
			decided = decided || e == nil || head != nil && head.Value(field).Equal(e.Value(field))
		}
		if !decided {
			return e
		}
	}
	return was[0]
}
