package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/packfile"
)

// edits is how many entities each side of a measured merge changes.
const edits = 500

// measureMerge times whole three-way merges, from packs.
func measureMerge(_ *subject, rounds int, r *report) error {
	for _, m := range []struct {
		entities int
		goal     time.Duration
	}{{island.DefaultEntities, 30 * time.Millisecond}, {300_000, 500 * time.Millisecond}} {
		base, ours, theirs, err := mergeSides(m.entities)
		if err != nil {
			return err
		}
		var took []time.Duration
		for range rounds {
			begin := time.Now()
			result, err := merge.Worlds(base, ours, theirs, merge.Options{})
			if err != nil {
				return err
			}
			took = append(took, time.Since(begin))
			if result.Counts.Ours != edits || result.Counts.Theirs != edits {
				return fmt.Errorf("merge: %d and %d changes found, not %d", result.Counts.Ours, result.Counts.Theirs, edits)
			}
		}
		r.merged(m.entities, median(took), m.goal)
	}
	return nil
}

// mergeSides returns a world and what two people made of it.
func mergeSides(entities int) (base, ours, theirs merge.Side, err error) {
	w := island.Generate(entities, 1)
	sides := make([]merge.Side, 3)
	for i := range sides {
		data, err := packfile.Encode(w.ID, w.Types, edited(w, i))
		if err != nil {
			return base, ours, theirs, err
		}
		p, err := packfile.Parse(data)
		if err != nil {
			return base, ours, theirs, err
		}
		sides[i] = merge.Side{Types: p.Types(), Entities: p}
	}
	return sides[0], sides[1], sides[2], nil
}

// edited returns the world with entities moved, others for each side, none for
// side 0.
func edited(w *entity.World, side int) entity.Source {
	changes := make(map[entity.ID]*entity.Entity)
	ids := slices.Clone(w.IDs())
	random := rand.New(rand.NewPCG(uint64(side), 1))
	for len(changes) < edits && side > 0 {
		e, _ := w.Get(ids[random.IntN(len(ids))])
		i := e.Layout.Index("position")
		if i < 0 {
			continue
		}
		n := e.Clone()
		at := n.Values[i]
		n.Values[i] = entity.NewVec(entity.KindVec3, [4]uint32{at.Component(0) ^ 1<<uint(side+8), at.Component(1), at.Component(2)})
		changes[e.ID] = n
	}
	return entity.NewOverlay(w, changes)
}
