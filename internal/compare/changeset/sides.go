package changeset

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// Sides returns the two worlds with which a three-way merge, ours being now, is
// the application of the set to a world that has moved on. base is now as the
// set's maker knew it, where the set says: with what it was changed from put
// back. theirs is base with the set applied. Both differ from now, and from one
// another, in nothing but the set's entities, and know it (entity.Differ).
//
// homeless are the changes of properties that there is nothing to make on: the
// entity is gone, or is of a type or revision that does not have such a value.
func Sides(set entity.ChangeSet, now entity.Source) (base, theirs entity.Source, homeless entity.ChangeSet) {
	b, t := make(map[entity.ID]*entity.Entity), make(map[entity.ID]*entity.Entity)
	for changes := range groups(Compose(set), together) {
		c := changes[0]
		if whole(c) {
			b[c.ID], t[c.ID] = c.Old, c.New
			continue
		}
		e, ok := now.Get(c.ID)
		if !ok {
			homeless = append(homeless, changes...)
			continue
		}
		before, fits, lost := putBack(e, changes)
		homeless = append(homeless, lost...)
		after := before
		for _, c := range fits {
			after = c.On(after)
		}
		b[c.ID], t[c.ID] = before, after
	}
	return entity.NewOverlay(now, b), entity.NewOverlay(now, t), homeless
}

// putBack returns e as the changes' maker knew it, which of them can be made on
// it, and which cannot.
func putBack(e *entity.Entity, changes entity.ChangeSet) (before *entity.Entity, fits, homeless entity.ChangeSet) {
	before = e
	edited := make(map[string]bool)
	for _, c := range changes {
		if !canTake(e, c) {
			homeless = append(homeless, c)
			continue
		}
		fits = append(fits, c)
		// A second edit is of what the first one makes, which is not here.
		if !edited[c.Field] {
			before = c.PutBack(before)
		}
		edited[c.Field] = c.Op == entity.OpEdit
	}
	return before, fits, homeless
}

// canTake reports whether e, as it is and as the change's maker knew it, can
// have the change made on it.
func canTake(e *entity.Entity, c entity.Change) bool {
	if c.Op == entity.OpRaw {
		return !slices.ContainsFunc(slices.Concat(c.Old.Unknown, c.New.Unknown), func(r entity.Raw) bool {
			return e.Layout.Index(r.Name) >= 0
		})
	}
	i := e.Layout.Index(c.Field)
	if i < 0 {
		return false
	}
	value := e.Values[i]
	switch c.Op {
	case entity.OpAdd, entity.OpRemove:
		if value.Kind() != entity.KindSet {
			return false
		}
	case entity.OpEdit:
		if _, ok := entity.HunkItems(value); !ok {
			return false
		}
	}
	return c.PutBack(e).Validate() == nil && c.On(e).Validate() == nil
}
