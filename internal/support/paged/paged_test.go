package paged_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/internal/support/paged"
)

// A Map is as a map is, whatever is done to either.
func TestMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m paged.Map[uint32, int]
		want := make(map[uint32]*int)
		number := rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32())
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k := number.Draw(t, "number")
				v := new(int)
				m.Put(k, v)
				want[k] = v
			},
			"delete": func(t *rapid.T) {
				k := number.Draw(t, "number")
				m.Delete(k)
				delete(want, k)
			},
			"get": func(t *rapid.T) {
				k := number.Draw(t, "number")
				require.Same(t, want[k], m.Get(k))
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(want), m.Len())
				require.ElementsMatch(t, slices.Collect(maps.Values(want)), slices.Collect(m.Values()))
			},
		})
	})
}

// Whoever stops going through one half way is not given more.
func TestValuesStop(t *testing.T) {
	var m paged.Map[uint64, int]
	for k := range uint64(100) {
		m.Put(k, new(int))
	}
	seen := 0
	for range m.Values() {
		if seen++; seen == 3 {
			break
		}
	}
	require.Equal(t, 3, seen)
}
