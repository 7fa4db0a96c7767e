package entity_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// knowing is a source that knows its IDs without reading entities.
type knowing struct{ entity.Source }

func (k knowing) IDs() iter.Seq[entity.ID] {
	return func(yield func(entity.ID) bool) {
		for e := range k.All() {
			if !yield(e.ID) {
				return
			}
		}
	}
}

func TestOverlayIDs(t *testing.T) {
	layout := entity.NewTypes(&entity.Type{Name: "T", Revision: 1}).Get("T").Current()
	ids := rapid.SliceOf(rapid.Uint32Range(1, 12))
	rapid.Check(t, func(t *rapid.T) {
		under := &entity.World{}
		for _, id := range ids.Draw(t, "under") {
			under.Put(entity.New(entity.ID(id), layout))
		}
		changes := make(map[entity.ID]*entity.Entity)
		for _, id := range ids.Draw(t, "made") {
			changes[entity.ID(id)] = entity.New(entity.ID(id), layout)
		}
		for _, id := range ids.Draw(t, "deleted") {
			changes[entity.ID(id)] = nil
		}
		for _, source := range []entity.Source{under, knowing{under}} {
			o := entity.NewOverlay(source, changes)
			var want []entity.ID
			for e := range o.All() {
				want = append(want, e.ID)
			}
			require.Equal(t, want, slices.Collect(o.IDs()))
			for id := range o.IDs() {
				require.Equal(t, want[0], id)
				break
			}
		}
	})
}
