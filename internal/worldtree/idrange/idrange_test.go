package idrange_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
)

const published = `# who may create which IDs
 6000 10000 BC-AE-C5-66-28-E9 #Jonathan_office

28000 31000 Baker bc:ae:c5:66:28:ea #Baker
58000 70000 Clusters disposable #Clusters
`

func TestParse(t *testing.T) {
	ranges, err := idrange.Parse([]byte(published), "id_ranges")
	require.NoError(t, err)
	require.Equal(t, []idrange.Range{
		{From: 6000, To: 10000, Keys: []string{"BC-AE-C5-66-28-E9"}, Comment: "Jonathan_office", Line: 2},
		{From: 28000, To: 31000, Keys: []string{"Baker", "bc:ae:c5:66:28:ea"}, Comment: "Baker", Line: 4},
		{From: 58000, To: 70000, Keys: []string{"Clusters"}, Disposable: true, Comment: "Clusters", Line: 5},
	}, ranges)

	r, ok := idrange.Of(ranges, 6000)
	require.True(t, ok)
	require.True(t, r.IsOf([]string{"bc:ae:c5:66:28:e9"}), "one address in two spellings")
	_, ok = idrange.Of(ranges, 10000)
	require.False(t, ok)

	id, ok := idrange.Next(ranges, []string{"Baker"}, 28000, func(id entity.ID) bool { return id != 28001 })
	require.True(t, ok)
	require.Equal(t, entity.ID(28002), id)
	_, ok = idrange.Next(ranges, []string{"Clusters"}, 0, func(entity.ID) bool { return true })
	require.False(t, ok)
	_, ok = idrange.Next(ranges, []string{"Baker"}, 28000, func(entity.ID) bool { return false })
	require.False(t, ok)
}

func TestTheIslandsRangesParse(t *testing.T) {
	ranges, err := idrange.Parse([]byte(island.RangesText(island.DefaultEntities)), "id_ranges")
	require.NoError(t, err)
	require.NotEmpty(t, ranges)
}

func TestAWrongLineIsNamed(t *testing.T) {
	for text, reason := range map[string]string{
		"1 2":                   "f:1: a range is FROM TO KEY",
		"0 5 A":                 "f:1: the range 0 to 5 has no IDs",
		"9 9 A":                 "has no IDs",
		"x 9 A":                 "\"x\" is no ID",
		"1 4294967297 A":        "is no ID",
		"# fine\n1 9 A\n5 12 B": "f:3: the range overlaps that of line 2, 1 to 9",
		"<<<<<<< ours\n1 9 A":   "f:1: ",
	} {
		_, err := idrange.Parse([]byte(text), "f")
		require.ErrorContains(t, err, reason)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(published))
	f.Add([]byte("1 4294967296 A disposable"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ranges, err := idrange.Parse(data, "f")
		if err != nil {
			return
		}
		for _, r := range ranges {
			require.Less(t, r.From, r.To)
			require.NotEmpty(t, r.Keys)
		}
	})
}
