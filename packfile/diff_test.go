package packfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/island"
)

// TestDiffering holds the comparison of rows against that of entities.
func TestDiffering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := worlds().Draw(t, "a")
		b := entity.NewWorld(a.ID, a.Types)
		for e := range a.All() {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0: // deleted
			case 1:
				b.Put(entitytest.Entity(e.ID, e.Layout.Type).Draw(t, "another"))
			case 2:
				c := *e
				c.ID ^= 1 << 31
				if _, taken := a.Get(c.ID); c.ID != 0 && !taken {
					b.Put(&c)
				}
			default:
				b.Put(e)
			}
		}
		p, q := parse(t, encode(t, a)), parse(t, encode(t, b))
		require.Equal(t, len(entity.Diff(a, b)), len(entity.Diff(p, q)))
		c := entity.NewWorld(a.ID, a.Types)
		for e := range a.All() {
			c.Put(e)
		}
		entity.Diff(p, q).Apply(c)
		require.Empty(t, entity.Diff(b, c))
	})
}

func BenchmarkDiffering(b *testing.B) {
	w := island.Generate(island.DefaultEntities, 1)
	p := parse(b, encode(b, w))
	for _, id := range w.IDs()[:100] {
		w.Delete(id)
	}
	q := parse(b, encode(b, w))
	for b.Loop() {
		n := 0
		for range entity.Differing(p, q) {
			n++
		}
		require.Equal(b, 100, n)
	}
}
