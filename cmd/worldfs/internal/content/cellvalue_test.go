package content

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// cells are values of all kinds that a column may have side by side.
func cells() *rapid.Generator[cell] {
	of := func(k entity.Kind, v entity.Value) cell { return cellOf(k, v) }
	return rapid.OneOf(
		rapid.Just(cell{}),
		rapid.Map(rapid.Bool(), func(b bool) cell { return of(entity.KindBool, entity.NewBool(b)) }),
		rapid.Map(rapid.Int64(), func(i int64) cell { return of(entity.KindI64, entity.NewInt(entity.KindI64, i)) }),
		rapid.Map(rapid.Uint64(), func(u uint64) cell { return of(entity.KindU64, entity.NewUint(entity.KindU64, u)) }),
		rapid.Map(rapid.Uint32(), func(u uint32) cell { return of(entity.KindF32, entity.NewF32(u)) }),
		rapid.Map(rapid.Float64(), func(f float64) cell { return of(entity.KindF64, entity.F64Of(f)) }),
		rapid.Map(rapid.StringMatching(`[aAbB]{0,2}[019]{0,3}[a/]?[0-9]{0,2}`), textCell),
		rapid.Map(rapid.SliceOfN(rapid.Float32(), 3, 3), func(f []float32) cell {
			return of(entity.KindVec3, entity.VecOf(entity.KindVec3, f...))
		}),
	)
}

// Sorting needs an order: of two keys each has its place, and what is before something is
// before what comes after that.
func TestKeysAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(cells(), 3, 3).Draw(t, "cells")
		a, b, c := all[0].key(), all[1].key(), all[2].key()
		require.Equal(t, a.compare(b), -b.compare(a))
		require.Zero(t, a.compare(a))
		if a.compare(b) <= 0 && b.compare(c) <= 0 {
			require.LessOrEqual(t, a.compare(c), 0)
		}
	})
}

func TestCellsAreJSONAndOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cells().Draw(t, "cell")
		require.True(t, json.Valid(c.json()), string(c.json()))
		require.NotContains(t, c.text(), "\n")
	})
	require.Equal(t, "a b", textCell("a\nb").text())
	require.Equal(t, "nan", cellOf(entity.KindF32, entity.F32Of(float32(math.NaN()))).text())
	flags := entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "a]", Number: 1}}}
	require.Equal(t, "a], 3", cell{&flags, entity.NewUint(entity.KindFlags, 1<<1|1<<3)}.text())
}

func TestTextsAreComparedAsPeopleCount(t *testing.T) {
	sorted := []string{"", "door", "door 2", "door 02b", "door 10", "door 10a", "lamp 99999999999999999999", "lamp 100000000000000000000"}
	shuffled := slices.Clone(sorted)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, compareTexts)
	require.Equal(t, strings.Join(sorted, "|"), strings.Join(shuffled, "|"))
}
