package island_test

import (
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
)

const seed = 1

// sizes are the numbers of entities that the tests make islands of.
var sizes = []int{1, 2, 10, 24, 25, 26, 100, 1000, island.DefaultEntities}

func eachSize(t *testing.T, test func(*testing.T, *entity.World)) {
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) { test(t, island.Generate(n, seed)) })
	}
}

func TestTypesAreValid(t *testing.T) {
	types := island.Types()
	require.Equal(t, 25, types.Len())
	for _, typ := range types.All() {
		require.NoError(t, typ.Validate())
	}
}

func TestTheNumberOfEntitiesIsExact(t *testing.T) {
	eachSize(t, func(t *testing.T, w *entity.World) {
		require.Equal(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:], fmt.Sprint(w.Len()))
	})
	require.Equal(t, 1, island.Generate(0, seed).Len(), "there is no empty island")
	require.Equal(t, 1, island.Generate(-5, seed).Len())
}

func TestASmallIslandHasWhatMatters(t *testing.T) {
	typesOf := func(n int) map[string]int {
		counts := make(map[string]int)
		for e := range island.Generate(n, seed).All() {
			counts[e.Type()]++
		}
		return counts
	}
	require.Equal(t, map[string]int{"Door": 1}, typesOf(1))
	require.Len(t, typesOf(10), 10)
	require.Len(t, typesOf(25), 25)
	require.Equal(t, 1, typesOf(1000)["Sun"])
	require.Len(t, typesOf(island.DefaultEntities), 25)
}

func TestEntitiesAreValidAndCanonical(t *testing.T) {
	eachSize(t, func(t *testing.T, w *entity.World) {
		for e := range w.All() {
			require.NoError(t, e.Validate())
			require.Empty(t, e.Clone().Canonicalize(), "%s", e)
			require.Same(t, w.Types.Get(e.Type()), e.Layout.Type)
			require.LessOrEqual(t, e.Revision(), e.Layout.Type.Revision)
		}
	})
}

func TestTheSameSeedGivesTheSameIsland(t *testing.T) {
	a, b := island.Generate(1000, 7), island.Generate(1000, 7)
	require.Equal(t, a.ID, b.ID)
	require.Empty(t, entity.Diff(a, b))
	c := island.Generate(1000, 8)
	require.NotEqual(t, a.ID, c.ID)
	require.NotEmpty(t, entity.Diff(a, c))
}

// values returns every value of an entity with its shape, those within others
// too.
func values(e *entity.Entity) iter.Seq2[*entity.Shape, entity.Value] {
	return func(yield func(*entity.Shape, entity.Value) bool) {
		for i, f := range e.Layout.Fields {
			if !within(&f.Shape, e.Values[i], yield) {
				return
			}
		}
	}
}

func within(s *entity.Shape, v entity.Value, yield func(*entity.Shape, entity.Value) bool) bool {
	if !yield(s, v) {
		return false
	}
	for i, item := range v.Items() {
		of := s.Of
		if s.Kind == entity.KindStruct {
			of = &s.Fields[i].Shape
		}
		if !within(of, item, yield) {
			return false
		}
	}
	return true
}

func TestRefsAreToEntities(t *testing.T) {
	eachSize(t, func(t *testing.T, w *entity.World) {
		for e := range w.All() {
			for s, v := range values(e) {
				if s.Kind != entity.KindRef || v.IsNull() || v.Ref() == 0 {
					continue
				}
				_, ok := w.Get(v.Ref())
				require.True(t, ok, "%s refers to %d", e, v.Ref())
			}
		}
	})
}

func TestDirectRefsEnd(t *testing.T) {
	eachSize(t, func(t *testing.T, w *entity.World) {
		for e := range w.All() {
			steps := 0
			for up := e; up != nil; up = directParent(w, up) {
				steps++
				require.Less(t, steps, 10, "%s", e)
			}
		}
	})
}

func directParent(w *entity.World, e *entity.Entity) *entity.Entity {
	for s, v := range values(e) {
		if s.Direct && v.Ref() != 0 {
			up, _ := w.Get(v.Ref())
			return up
		}
	}
	return nil
}

func TestEveryKindOccurs(t *testing.T) {
	kinds := make(map[entity.Kind]int)
	keyed, wide, empty, nulls := 0, 0, 0, 0
	for e := range island.Generate(island.DefaultEntities, seed).All() {
		for s, v := range values(e) {
			kinds[v.Kind()]++
			if s.Key != "" {
				keyed++
			}
			if v.Kind() == entity.KindFlags && v.Uint()>>32 != 0 {
				wide++
			}
			if v.Kind() == entity.KindSet && len(v.Items()) == 0 {
				empty++
			}
			if s.Kind == entity.KindArray && s.Of.Optional {
				for _, item := range v.Items() {
					if item.IsNull() {
						nulls++
					}
				}
			}
		}
	}
	for k := entity.KindNull; k <= entity.KindStruct; k++ {
		if k.IsMatrix() || k == entity.KindExpr {
			require.Zero(t, kinds[k], "kind %s: the demo's pack is of the version that every reader knows", k)
			continue
		}
		require.NotZero(t, kinds[k], "kind %s", k)
	}
	require.NotZero(t, keyed, "arrays of structs with a key")
	require.NotZero(t, wide, "flags beyond the 32nd bit")
	require.NotZero(t, empty, "empty sets")
	require.NotZero(t, nulls, "elements that are null")
}

func TestEveryPropertyOfFieldsOccurs(t *testing.T) {
	seen := make(map[string]bool)
	for _, typ := range island.Types().All() {
		seen["mount"] = seen["mount"] || typ.Mount != nil
		seen["label"] = seen["label"] || typ.Label != ""
		seen["attributes of a type"] = seen["attributes of a type"] || len(typ.Attributes) > 0
		for _, f := range typ.Fields {
			for property, has := range map[string]bool{
				"hidden": f.Hidden, "editor only": f.EditorOnly, "unique": f.Unique, "derived": f.Derived,
				"save when": f.SaveWhen != "", "insignificant when": f.InsignificantWhen != "",
				"default": f.Default != nil, "successor": f.Successor != "", "since": f.Since != 0,
				"until": f.Until != 0, "attributes": len(f.Attributes) > 0, "optional": f.Optional, "direct": f.Direct,
			} {
				seen[property] = seen[property] || has
			}
		}
	}
	require.Len(t, seen, 16)
	for property, has := range seen {
		require.True(t, has, property)
	}
}

func TestSomeEntitiesAreOfOlderRevisions(t *testing.T) {
	older := make(map[string]int)
	for e := range island.Generate(island.DefaultEntities, seed).All() {
		if e.Revision() != e.Layout.Type.Revision {
			older[e.Type()]++
		}
	}
	require.Greater(t, len(older), 8)
	require.InDelta(t, 3470/9, older["Tree"], 80)
}

func TestUniqueFieldsAreUnique(t *testing.T) {
	eachSize(t, func(t *testing.T, w *entity.World) {
		seen := make(map[string]*entity.Entity)
		for e := range w.All() {
			for i, f := range e.Layout.Fields {
				if !f.Unique {
					continue
				}
				key := fmt.Sprint(e.Type(), f.Name, e.Values[i])
				require.NotContains(t, seen, key, "%s", e)
				seen[key] = e
			}
		}
	})
}

func TestTheDocumentedDoor(t *testing.T) {
	w := island.Generate(island.DefaultEntities, 99)
	e, ok := w.Get(6555)
	require.True(t, ok)
	require.Equal(t, `Door 6555 "bunker door"`, e.String())
	require.Equal(t, uint32(72), e.Revision())
	require.Equal(t, entity.NewVec(entity.KindVec3, [4]uint32{0x42386a04, 0x42d828cc, 0x410b1e57}), e.Value("position"))
	require.Equal(t, []entity.Value{entity.NewRef(6001), entity.NewRef(6005)}, e.Value("targets").Items())
}

func float(v entity.Value, component int) float64 {
	return float64(math.Float32frombits(v.Component(component)))
}

func TestSeenFromAboveItIsAnIsland(t *testing.T) {
	land, sea, highest := 0, 0, 0.0
	border := 0
	for e := range island.Generate(island.DefaultEntities, seed).All() {
		switch at := e.Value("position"); e.Type() {
		case "Tree":
			require.Greater(t, float(at, 2), 1.0, "%s stands in the sea", e)
		case "Terrain_Patch":
			column, row := e.Value("column").Int(), e.Value("row").Int()
			for _, h := range e.Value("heights").Items() {
				if float(h, 0) > 0 {
					land++
				} else {
					sea++
				}
				highest = max(highest, float(h, 0))
			}
			if (column == 0 || column == 11) && (row == 0 || row == 11) {
				require.Less(t, float(e.Value("heights").Items()[36], 0), 0.0, "the corners are sea")
				border++
			}
		}
	}
	require.Equal(t, 4, border)
	share := float64(land) / float64(land+sea)
	require.InDelta(t, 0.45, share, 0.2, "of the map is land")
	require.InDelta(t, 60, highest, 40, "metres, the highest hill")
}

func TestOtherSeedsGiveIslandsToo(t *testing.T) {
	for s := range uint64(20) {
		trees, high := 0, 0
		for e := range island.Generate(600, s).All() {
			if e.Type() == "Tree" {
				trees++
				if float(e.Value("position"), 2) > 1 {
					high++
				}
			}
		}
		require.Equal(t, trees, high, "seed %d", s)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{island.DefaultEntities, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				island.Generate(n, seed)
			}
		})
	}
}
