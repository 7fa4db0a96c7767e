package merge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// arrays merges arrays of numbers, or of refs, and returns what comes out and
// the paths in conflict.
func arrays(k entity.Kind, base, ours, theirs []uint64, o Options) (out []uint64, paths []string) {
	of := scalar(k)
	s := entity.Shape{Kind: entity.KindArray, Of: &of}
	list := func(numbers []uint64) entity.Value {
		items := make([]entity.Value, len(numbers))
		for i, n := range numbers {
			items[i] = entity.NewUint(entity.KindU32, n)
			if k == entity.KindRef {
				items[i] = entity.NewRef(entity.ID(n))
			}
		}
		return entity.NewList(entity.KindArray, items)
	}
	f := fieldMerge{verdict: o.verdict(0, "", "")}
	f.clash = func(path, _ string, _ Party, _ *entity.Shape, _, _, _ entity.Value) { paths = append(paths, path) }
	for _, v := range f.value("", &s, list(base), list(ours), list(theirs)).Items() {
		n := v.Uint()
		if k == entity.KindRef {
			n = uint64(v.Ref())
		}
		out = append(out, n)
	}
	return out, paths
}

func TestMovesInArrays(t *testing.T) {
	n := func(n ...uint64) []uint64 { return n }
	for _, c := range []struct {
		name                       string
		base, ours, theirs, merged []uint64
		conflicts                  int
	}{
		{"both moved one, differently", n(5, 6, 7, 8, 9), n(6, 7, 8, 9, 5), n(6, 7, 5, 8, 9), n(6, 7, 8, 9, 5), 1},
		{"both moved one alike", n(5, 6, 7, 8), n(6, 7, 8, 5), n(6, 7, 8, 5), n(6, 7, 8, 5), 0},
		{"both moved one to the end, one of them cut the end off", n(5, 6, 7, 8), n(6, 7, 5), n(6, 7, 8, 5), n(6, 7, 5), 0},
		{"one moved, one removed", n(5, 6, 7, 8), n(6, 7, 8), n(6, 7, 8, 5), n(6, 7, 8), 1},
		{"one removed, one moved", n(5, 6, 7, 8), n(6, 7, 8, 5), n(6, 7, 8), n(6, 7, 8, 5), 1},
		{"two moved", n(1, 2, 3, 4, 5, 6), n(2, 3, 4, 5, 6, 1), n(6, 1, 2, 3, 4, 5), n(6, 2, 3, 4, 5, 1), 0},
		{"two moved to one place", n(1, 2, 3, 4, 5), n(2, 3, 4, 5, 1), n(1, 3, 4, 5, 2), n(3, 4, 5, 1, 2), 0},
		{"moved and changed", n(1, 2, 3, 4), n(3, 1, 2, 4), n(1, 2, 9, 4), n(9, 1, 2, 4), 0},
		{"moved, and another removed", n(1, 2, 3, 4), n(2, 3, 4, 1), n(1, 2, 4), n(2, 4, 1), 0},
		{"both added one at different places", n(1, 2, 3), n(9, 1, 2, 3), n(1, 2, 3, 9), n(9, 1, 2, 3), 1},
		{"both added one at one place", n(1, 2, 3), n(1, 9, 2, 3), n(1, 9, 2, 3), n(1, 9, 2, 3), 0},
		{"both added some at one place", n(1, 2), n(1, 7, 9, 2), n(1, 8, 9, 2), n(1, 7, 8, 9, 2), 0},
		{"both added the same, in another order", n(1), n(1, 7, 8), n(1, 8, 7), n(1, 7, 8), 1},
		{"both changed two to the same", n(1, 2, 3), n(9, 2, 3), n(1, 2, 9), n(9, 2, 3), 1},
		{"added behind what is removed", n(1, 2, 3, 4), n(1, 4), n(1, 2, 9, 3, 4), n(1, 9, 4), 0},
		{"several of one", n(1, 1, 2), n(1, 1, 2, 1), n(1, 1, 2, 2), n(1, 1, 2, 1, 2), 0},
	} {
		for _, k := range []entity.Kind{entity.KindU32, entity.KindRef} {
			t.Run(fmt.Sprint(c.name, ", ", k), func(t *testing.T) {
				got, paths := arrays(k, c.base, c.ours, c.theirs, Options{})
				require.Equal(t, c.merged, got)
				require.Len(t, paths, c.conflicts, "%v", paths)
				_, swapped := arrays(k, c.base, c.theirs, c.ours, Options{})
				require.Len(t, swapped, c.conflicts)
			})
		}
	}
	got, _ := arrays(entity.KindU32, n(5, 6, 7, 8), n(6, 7, 8, 5), n(6, 5, 7, 8), Options{})
	require.Equal(t, n(6, 7, 8, 5), got)
}

// drawList draws what a side makes of a list: moves, removals, additions and
// changes of elements.
func drawList(t *rapid.T, base []uint64, fresh uint64) (out []uint64) {
	out = slices.Clone(base)
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(out)).Draw(t, "at")
		value := rapid.SampledFrom([]uint64{1, 2, 3, fresh, fresh + 1, 20}).Draw(t, "value")
		switch op := rapid.IntRange(0, 3).Draw(t, "op"); {
		case op == 0 || at == len(out):
			out = slices.Insert(out, at, value)
		case op == 1:
			out = slices.Delete(out, at, at+1)
		case op == 2:
			out[at] = value
		default:
			v := out[at]
			out = slices.Delete(out, at, at+1)
			out = slices.Insert(out, rapid.IntRange(0, len(out)).Draw(t, "to"), v)
		}
	}
	return out
}

func count(list []uint64, v uint64) (n int) {
	for _, w := range list {
		if w == v {
			n++
		}
	}
	return n
}

func TestArraysLoseAndInventNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		distinct := rapid.Bool().Draw(t, "distinct")
		base := rapid.SliceOfN(rapid.Uint64Range(1, 6), 0, 8).Draw(t, "base")
		if distinct {
			base = rapid.Permutation([]uint64{1, 2, 3, 4, 5, 6}).Draw(t, "base")
		}
		a, b := drawList(t, base, 10), drawList(t, base, 30)
		for _, policy := range []Policy{Leave, Shared, Mine} {
			o, p := Options{Policy: policy, Shared: Ours}, Options{Policy: policy, Shared: Theirs}
			got, paths := arrays(entity.KindRef, base, a, b, o)
			for _, v := range got {
				require.Positive(t, count(a, v)+count(b, v)+count(base, v), "%d is nobody's", v)
				require.False(t, count(got, v) > 1 && count(a, v) < 2 && count(b, v) < 2, "%d stands twice in %v: %v, %v, %v", v, got, base, a, b)
			}
			swapped, others := arrays(entity.KindRef, base, b, a, p)
			require.Equal(t, len(paths) == 0, len(others) == 0)
			if policy != Leave || len(paths) == 0 {
				require.Equal(t, got, swapped)
			}
			if len(paths) > 0 {
				continue
			}
			for _, v := range base {
				if count(base, v) == 1 && count(a, v) < 2 && count(b, v) < 2 {
					require.LessOrEqual(t, count(got, v), min(count(a, v), count(b, v)), "%d is back in %v: %v, %v, %v", v, got, base, a, b)
				}
			}
			for _, side := range [][]uint64{a, b} {
				for _, v := range side {
					require.False(t, count(base, v) == 0 && count(got, v) == 0, "%d is not in %v: %v, %v, %v", v, got, base, a, b)
				}
			}
		}
		for _, r := range [][3][]uint64{{base, base, a}, {base, a, base}, {base, a, a}} {
			got, paths := arrays(entity.KindRef, r[0], r[1], r[2], Options{})
			require.Empty(t, paths)
			require.True(t, slices.Equal(a, got))
		}
	})
}

// TestOneMoveStands has one side move one element far, and the other edit: the
// rest stands as that left it, and the moved one where it was put.
func TestOneMoveStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
		from, to := rapid.IntRange(0, 2).Draw(t, "from"), rapid.IntRange(5, 7).Draw(t, "to")
		a := slices.Delete(slices.Clone(base), from, from+1)
		a = slices.Insert(a, to, base[from])
		b := drawList(t, base, 30)
		if count(b, base[from]) != 1 {
			return
		}
		got, paths := arrays(entity.KindRef, base, a, b, Options{})
		if len(paths) > 0 || slices.ContainsFunc(b, func(v uint64) bool { return count(b, v) > 1 }) {
			return
		}
		rest := func(list []uint64) []uint64 {
			return slices.DeleteFunc(slices.Clone(list), func(v uint64) bool { return v == base[from] })
		}
		require.Equal(t, rest(b), rest(got))
	})
}
