package merge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/packfile"
)

// BenchmarkPacks merges islands of which each side has edited 500 entities,
// some of them the same.
func BenchmarkPacks(b *testing.B) {
	b.Run("10422", func(b *testing.B) { benchmarkPacks(b, island.DefaultEntities) })
	b.Run("300000", func(b *testing.B) { benchmarkPacks(b, 300_000) })
}

func benchmarkPacks(b *testing.B, entities int) {
	w := island.Generate(entities, 1)
	base := packOf(b, w)
	ours, theirs := packOf(b, edited(w, 0)), packOf(b, edited(w, 7))
	sides := [3]Side{{base.Types(), base}, {ours.Types(), ours}, {theirs.Types(), theirs}}
	b.ReportAllocs()
	for b.Loop() {
		r, err := Worlds(sides[0], sides[1], sides[2], Options{})
		require.NoError(b, err)
		require.NotZero(b, r.Counts.Theirs)
	}
}

func packOf(t require.TestingT, w *entity.World) *packfile.Pack {
	data, err := packfile.Encode(w.ID, w.Types, w)
	require.NoError(t, err)
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	return p
}

// edited changes 400 entities, deletes 50 and makes 50, beginning with the one
// at an offset.
func edited(w *entity.World, offset int) *entity.World {
	out := entity.NewWorld(w.ID, w.Types)
	for e := range w.All() {
		out.Put(e)
	}
	ids := w.IDs()
	step := len(ids) / 500
	for n := range 450 {
		e, _ := w.Get(ids[offset+n*step])
		if n%9 == 8 {
			out.Delete(e.ID)
			continue
		}
		c := e.Clone()
		for i, v := range c.Values {
			switch v.Kind() {
			case entity.KindVec3:
				c.Values[i] = entity.VecOf(entity.KindVec3, float32(offset), float32(n), 3)
			case entity.KindString:
				c.Values[i] = entity.NewString(v.Text() + "!")
			}
		}
		out.Put(c)
	}
	for n := range 50 {
		e, _ := w.Get(ids[offset+n*step+1])
		c := *e
		c.ID = ids[len(ids)-1] + entity.ID(2*n+1+offset)
		out.Put(&c)
	}
	return out
}
