package entity_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

// overlayOf returns b as an overlay on a.
func overlayOf(a, b *entity.World) *entity.Overlay {
	changes := make(map[entity.ID]*entity.Entity)
	for e, o := range entity.Differing(a, b) {
		if o == nil {
			changes[e.ID] = nil
		} else {
			changes[o.ID] = o
		}
	}
	return entity.NewOverlay(a, changes)
}

func TestAnOverlayIsTheWorldWithTheChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := entitytest.World().Draw(t, "a")
		b, c := edited(t, a), edited(t, a)
		over := overlayOf(a, b)
		require.Equal(t, b.Len(), over.Len())
		for _, same := range [][2][]*entity.Entity{
			{slices.Collect(b.All()), slices.Collect(over.All())},
			{differing(b, a), differing(over, a)},
			{differing(a, b), differing(a, over)},
			{differing(b, c), differing(over, overlayOf(a, c))},
		} {
			require.True(t, slices.EqualFunc(same[0], same[1], func(x, y *entity.Entity) bool {
				return (x == nil) == (y == nil) && (x == nil || x.Same(y))
			}))
		}
	})
}

// differing returns the pairs that Differing yields, one after the other.
func differing(a, b entity.Source) (all []*entity.Entity) {
	for x, y := range entity.Differing(a, b) {
		all = append(all, x, y)
	}
	return all
}
