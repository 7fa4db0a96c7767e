package changes

import (
	"cmp"
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/follow"
)

// followed is a change set with what comes along with it.
type followed struct {
	set      entity.ChangeSet
	carried  int
	noEffect []string // poses that were changed, in words; they are not in the set
}

// following returns a change set of fields of a world's entities with the changes of what is
// mounted on them, and without those that have no effect.
func following(world entity.Source, set entity.ChangeSet) followed {
	out := follow.Of(world, changedBy(world, set), nil)
	f := followed{carried: len(out.Carried)}
	for _, id := range slices.Sorted(maps.Keys(out.Restored)) {
		f.noEffect = append(f.noEffect, out.NoEffect(id))
	}
	maps.Copy(out.Carried, out.Restored)
	for _, c := range set {
		if out.Carried[c.ID] == nil {
			f.set = append(f.set, c)
		}
	}
	for id, e := range out.Carried {
		was, _ := world.Get(id)
		f.set = append(f.set, entity.DiffEntity(was, e)...)
	}
	slices.SortStableFunc(f.set, func(a, b entity.Change) int { return cmp.Compare(a.ID, b.ID) })
	return f
}

// changedBy returns the entities that a change set changes, as it makes them.
func changedBy(world entity.Source, set entity.ChangeSet) map[entity.ID]*entity.Entity {
	changes := make(map[entity.ID]*entity.Entity)
	for _, c := range set {
		e, changed := changes[c.ID]
		if !changed {
			e, _ = world.Get(c.ID)
		}
		changes[c.ID] = c.On(e)
	}
	return changes
}
