package lostedits

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// GivenWay returns the base with what gave way as the side has it that it is of, as if that
// were no edit: where it came out all the same, what should have stood is lost.
func GivenWay(merged *merge.Result, sides [3]merge.Side) entity.Source {
	base := make(map[entity.ID]*entity.Entity)
	for _, c := range merged.Conflicts {
		if !c.Gave {
			continue
		}
		side := sides[1]
		if c.Stands == merge.Ours {
			side = sides[2]
		}
		gave, _ := side.Entities.Get(c.ID)
		was, ok := base[c.ID]
		if !ok {
			was, _ = sides[0].Entities.Get(c.ID)
		}
		if c.Field != "" && gave != nil && was != nil {
			gave = was.WithField(c.Field, gave)
		}
		base[c.ID] = gave
	}
	return entity.NewOverlay(sides[0].Entities, base)
}
