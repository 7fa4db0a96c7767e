package packfile_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/internal/dev/island"
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
		requireDiff(t, a, b, p, q)
	})
}

// requireDiff checks that packs of two worlds differ as these do.
func requireDiff(t require.TestingT, a, b *entity.World, p, q *packfile.Pack) {
	diff := entity.Diff(p, q)
	require.Equal(t, len(entity.Diff(a, b)), len(diff))
	c := entity.NewWorld(a.ID, a.Types)
	for e := range a.All() {
		c.Put(e)
	}
	diff.Apply(c)
	require.Empty(t, entity.Diff(b, c))
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
		require.Equal(t, encode(t, b), got.Bytes())
		require.NoError(t, got.CheckAgainst(old))
		if digests, ok := got.DigestsAfter(old, old.Digests(), changes); ok {
			require.Equal(t, got.Digests(), digests)
		}
	})
}

func TestDigestsAfterAChange(t *testing.T) {
	w := island.Generate(50, 1)
	old := parse(t, encode(t, w))
	ids := w.IDs()
	n, _ := w.Get(ids[2])
	changes := map[entity.ID]*entity.Entity{ids[0]: nil, ids[1]: nil, ids[2]: n.Clone()}
	changes[ids[2]].ID = ids[1] // which is another entity then
	changes[ids[1]], changes[ids[2]] = changes[ids[2]], nil
	p, err := packfile.EncodeChanges(w.ID, w.Types, old, changes)
	require.NoError(t, err)
	digests, ok := p.DigestsAfter(old, old.Digests(), changes)
	require.True(t, ok)
	require.Equal(t, p.Digests(), digests)
	_, ok = p.DigestsAfter(old, old.Digests()[1:], changes)
	require.False(t, ok, "they are not those of the pack before")
}

func TestWhatChangesNothingMakesNoOtherPack(t *testing.T) {
	w := island.Generate(50, 1)
	same := make(map[entity.ID]*entity.Entity)
	for e := range w.All() {
		same[e.ID] = e
	}
	old, err := packfile.EncodeChanges(w.ID, w.Types, parse(t, encode(t, w)), nil)
	require.NoError(t, err)
	for _, changes := range []map[entity.ID]*entity.Entity{nil, same} {
		got, err := packfile.EncodeChanges(w.ID, w.Types, old, changes)
		require.NoError(t, err)
		require.Same(t, old, got)
	}
	based := encode(t, w)
	packfile.SetBasedOn(based, old.Hash())
	of := parse(t, based)
	of.MarkEncoded()
	got, err := packfile.EncodeChanges(w.ID, w.Types, of, same)
	require.NoError(t, err)
	require.Equal(t, old.Bytes(), got.Bytes(), "it is based on nothing")
}

// A pack that EncodeChanges made may be changed further: where all stays in its
// place that is done in a copy of it.
func TestEncodeChangesAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := worlds().Draw(t, "a")
		old, err := packfile.EncodeChanges(a.ID, a.Types, parse(t, encode(t, a)), nil)
		require.NoError(t, err)
		b := nudged(t, a)
		got, ok := packfile.Patch(b.ID, b.Types, old, entities(b))
		require.True(t, ok)
		require.Equal(t, encode(t, b), got.Bytes())
		require.NoError(t, got.Check())
		requireSame(t, b, got)
		requireDiff(t, a, b, old, got)
		require.NoError(t, got.CheckAgainst(old))
		require.Equal(t, packfile.Hash(got.Bytes()), got.Hash())

		c := altered(t, b)
		changes := entities(c)
		for id := range entities(b) {
			if _, there := c.Get(id); !there {
				changes[id] = nil
			}
		}
		got, err = packfile.EncodeChanges(c.ID, c.Types, got, changes)
		require.NoError(t, err)
		require.Equal(t, encode(t, c), got.Bytes())
	})
}

func entities(w *entity.World) map[entity.ID]*entity.Entity {
	all := make(map[entity.ID]*entity.Entity)
	for e := range w.All() {
		all[e.ID] = e
	}
	return all
}

// nudged returns a with values changed of which none has a place in the heap.
func nudged(t *rapid.T, a *entity.World) *entity.World {
	b := entity.NewWorld(a.ID, a.Types)
	for e := range a.All() {
		e = e.Clone()
		for i, f := range e.Layout.Fields {
			e.Values[i] = nudge(t, &f.Shape, e.Values[i])
		}
		b.Put(e)
	}
	return b
}

func nudge(t *rapid.T, s *entity.Shape, v entity.Value) entity.Value {
	switch k := s.Kind; {
	case k == entity.KindString || k == entity.KindBlob || k == entity.KindExpr || k == entity.KindSet || s.Kind.IsList() && s.Key != "":
		return v
	case v.IsNull() && (k == entity.KindStruct || k.IsList()):
		return v
	case k == entity.KindStruct:
		members := slices.Clone(v.Items())
		for i, f := range s.Fields {
			members[i] = nudge(t, &f.Shape, members[i])
		}
		return entity.NewStruct(members)
	case k.IsList():
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = nudge(t, s.Of, items[i])
		}
		return entity.NewList(k, items)
	case rapid.Bool().Draw(t, "nudge"):
		return entitytest.Value(s).Draw(t, "value")
	}
	return v
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
	changes := map[entity.ID]*entity.Entity{}
	for e := range w.All() {
		if i := e.Layout.Index("position"); i >= 0 {
			n := e.Clone()
			n.Values[i] = entity.NewVec(entity.KindVec3, [4]uint32{1, 2, 3})
			changes[e.ID] = n
			break
		}
	}
	b.Run("row by row", func(b *testing.B) { encodeChanges(b, w, old, changes) })
	old, err := packfile.EncodeChanges(w.ID, w.Types, old, nil)
	require.NoError(b, err)
	b.Run("in place", func(b *testing.B) { encodeChanges(b, w, old, changes) })
}

func encodeChanges(b *testing.B, w *entity.World, old *packfile.Pack, changes map[entity.ID]*entity.Entity) {
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
