package changeset

import (
	"iter"

	"github.com/worldfs/worldfs/entity"
)

// Made returns the entities that a change set makes, or makes to be of another
// type.
func Made(set entity.ChangeSet) iter.Seq[*entity.Entity] {
	return func(yield func(*entity.Entity) bool) {
		for _, c := range set {
			if c.New != nil && (c.Old == nil || c.Old.Type() != c.New.Type()) && !yield(c.New) {
				return
			}
		}
	}
}
