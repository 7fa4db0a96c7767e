package packfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/island"
	"github.com/worldfs/worldfs/packfile"
)

// altered returns a with some entities deleted, renumbered or made anew.
func altered(t *rapid.T, a *entity.World) *entity.World {
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
	return b
}

// TestDiffering holds the comparison of rows against that of entities.
func TestDiffering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := worlds().Draw(t, "a")
		b := altered(t, a)
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

// What EncodeChanges copies is byte for byte what Encode writes.
func TestEncodeChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := worlds().Draw(t, "a")
		b := altered(t, a)
		old := parse(t, encode(t, a))
		changes := make(map[entity.ID]*entity.Entity)
		for was, is := range entity.Differing(a, b) {
			if is == nil {
				changes[was.ID] = nil
			} else {
				changes[is.ID] = is
			}
		}
		got, err := packfile.EncodeChanges(a.ID, a.Types, old, changes)
		require.NoError(t, err)
		require.Equal(t, encode(t, b), got)
		require.NoError(t, parse(t, got).CheckAgainst(old))
	})
}

// Entities have the same digests exactly where they are the same.
func TestDigests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := worlds().Draw(t, "a")
		b := altered(t, a)
		p, q := parse(t, encode(t, a)), parse(t, encode(t, b))
		differ := make(map[entity.ID]bool)
		for x, y := range entity.Differing(p, q) {
			if x != nil && y != nil {
				differ[x.ID] = true
			}
		}
		ps, qs := p.Digests(), q.Digests()
		for i := range p.Len() {
			if j := q.Search(p.IDAt(i)); j < q.Len() && q.IDAt(j) == p.IDAt(i) {
				require.Equal(t, !differ[p.IDAt(i)], ps[i] == qs[j], "entity %d", p.IDAt(i))
			}
		}
	})
}

func BenchmarkEncodeChanges(b *testing.B) {
	w := island.Generate(island.DefaultEntities, 1)
	old := parse(b, encode(b, w))
	e, _ := w.Get(w.IDs()[500])
	changes := map[entity.ID]*entity.Entity{e.ID: e}
	b.ReportAllocs()
	for b.Loop() {
		_, err := packfile.EncodeChanges(w.ID, w.Types, old, changes)
		require.NoError(b, err)
	}
}

func BenchmarkDigests(b *testing.B) {
	p := parse(b, encode(b, island.Generate(island.DefaultEntities, 1)))
	for b.Loop() {
		p.Digests()
	}
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
