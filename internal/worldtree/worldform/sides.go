package worldform

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// Sides returns the base, ours and theirs as sides of a merge. What one of them cannot
// read it has as the base does, the base as ours.
func Sides(worlds [3]*World) (sides [3]merge.Side) {
	base := worlds[0].AsIn(worlds[1].Source)
	for i, src := range []entity.Source{base, worlds[1].AsIn(base), worlds[2].AsIn(base)} {
		sides[i] = merge.Side{Types: worlds[i].Types, Entities: src}
	}
	return sides
}

// AsIn returns a world's entities, those whose text does not parse as another world
// has them: that they cannot be read here is no change, least of all a deletion.
func (w *World) AsIn(other entity.Source) entity.Source {
	unread := w.Unread()
	if len(unread) == 0 {
		return w.Source
	}
	instead := make(map[entity.ID]*entity.Entity, len(unread))
	for _, id := range unread {
		instead[id], _ = other.Get(id)
	}
	return entity.NewOverlay(w.Source, instead)
}
