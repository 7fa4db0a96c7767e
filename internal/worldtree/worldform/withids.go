package worldform

import (
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// WithIDs returns a world in which entities have other IDs, and refs follow them. No two
// may come to have the same one. The texts that the world was made of say the old IDs: those
// entities have none.
func (w *World) WithIDs(ids map[entity.ID]entity.ID) *World {
	to := func(id entity.ID) entity.ID {
		if now, ok := ids[id]; ok {
			return now
		}
		return id
	}
	changed := make(map[entity.ID]*entity.Entity)
	for id := range ids {
		if _, ok := changed[id]; !ok {
			changed[id] = nil
		}
		if e, ok := w.Source.Get(id); ok {
			changed[to(id)] = withID(merge.WithRefs(e, to), to(id))
		}
	}
	for e := range w.Source.All() {
		if _, moved := ids[e.ID]; moved {
			continue
		}
		if with := merge.WithRefs(e, to); with != e {
			changed[e.ID] = with
		}
	}
	now := *w
	now.Source, now.texts, now.Texts = entity.NewOverlay(w.Source, changed), w.texts.without(changed), maps.Clone(w.Texts)
	maps.DeleteFunc(now.Texts, func(id entity.ID, _ []byte) bool { _, is := changed[id]; return is })
	now.Findings = slices.Clone(w.Findings)
	for i := range now.Findings {
		now.Findings[i].ID = to(now.Findings[i].ID)
	}
	return &now
}

func withID(e *entity.Entity, id entity.ID) *entity.Entity {
	c := *e
	c.ID = id
	return &c
}

// without returns the texts of all entities but some.
func (t *texts) without(changed map[entity.ID]*entity.Entity) *texts {
	if t == nil {
		return nil
	}
	objects := maps.Clone(t.objects)
	for id := range changed {
		delete(objects, id)
	}
	return &texts{t.format, objects}
}
