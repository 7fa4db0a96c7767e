package filemerge

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// Alone merges entities of three worlds as File does, with no look at the rest of them. Those
// of which a conflict is left are not among what it returns.
func Alone(worlds [3]merge.Side, ids []entity.ID) (map[entity.ID]*entity.Entity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var sides [3]merge.Side
	for i, w := range worlds {
		alone := entity.NewWorld(entity.GUID{}, w.Types)
		for _, id := range ids {
			if e, ok := w.Entities.Get(id); ok {
				alone.Put(e)
			}
		}
		sides[i] = merge.Of(alone)
	}
	result, err := merge.Worlds(sides[0], sides[1], sides[2], merge.Options{})
	if err != nil {
		return nil, err
	}
	merged := make(map[entity.ID]*entity.Entity)
	for _, id := range ids {
		if e, ok := result.Get(id); ok {
			merged[id] = e
		}
	}
	for _, c := range result.Conflicts {
		delete(merged, c.ID)
	}
	return merged, nil
}
