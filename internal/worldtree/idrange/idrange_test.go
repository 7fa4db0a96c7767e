package idrange_test

import (
	"strings"
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

func parse(t *testing.T, text string) []idrange.Range {
	t.Helper()
	ranges, err := idrange.Parse([]byte(text), "id_ranges")
	require.NoError(t, err)
	return ranges
}

func TestParse(t *testing.T) {
	ranges := parse(t, published)
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
	require.Equal(t, "6000 to 10000 (Jonathan_office)", r.String())
}

func TestTheIslandsRangesParse(t *testing.T) {
	ranges := parse(t, island.RangesText(island.DefaultEntities))
	require.NotEmpty(t, ranges)
	require.Empty(t, idrange.Overlaps(ranges))
}

func TestAWrongLineIsNamed(t *testing.T) {
	for text, reason := range map[string]string{
		"1 2":                   "f:1: a range is FROM TO KEY",
		"0 5 A":                 "f:1: the range 0 to 5 has no IDs",
		"9 9 A":                 "has no IDs",
		"x 9 A":                 "\"x\" is no ID",
		"1 4294967297 A":        "is no ID",
		"<<<<<<< ours\n1 9 A":   "f:1: ",
		"# fine\n1 9 A\n5 12\n": "f:3: a range is FROM TO KEY",
	} {
		_, err := idrange.Parse([]byte(text), "f")
		require.ErrorContains(t, err, reason)
	}
}

// An ID that two lines give to different owners is nobody's; all else stays whose it is.
func TestAnOverlapIsNobodys(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		overlaps int
		settled  string // from-to-key
	}{
		"none":            {"1 5 A\n5 9 B\n", 0, "1-5-A 5-9-B"},
		"ends":            {"1 6 A\n4 9 B\n", 1, "1-4-A 6-9-B"},
		"amid":            {"1 9 A\n4 6 B\n", 1, "1-4-A 6-9-A"},
		"the same":        {"1 9 A\n1 9 B\n", 1, ""},
		"the same line":   {"1 9 A\n1 9 A\n", 0, "1-9-A 1-9-A"},
		"one spelling":    {"1 9 BC-AE-C5-66-28-E9\n1 9 bc:ae:c5:66:28:e9\n", 0, "1-9-BC-AE-C5-66-28-E9 1-9-bc:ae:c5:66:28:e9"},
		"other keys":      {"1 9 A\n1 9 A B\n", 1, ""},
		"disposable once": {"1 9 A\n4 9 A disposable\n", 1, "1-4-A"},
		"three":           {"1 9 A\n2 4 B\n3 12 C\n", 3, "1-2-A 9-12-C"},
		"two holes":       {"1 20 A\n2 4 B\n8 9 C\n", 2, "1-2-A 4-8-A 9-20-A"},
		"touching":        {"1 20 A\n2 4 B\n4 9 C\n", 2, "1-2-A 9-20-A"},
	} {
		t.Run(name, func(t *testing.T) {
			ranges := parse(t, c.text)
			require.Len(t, idrange.Overlaps(ranges), c.overlaps)
			var settled []string
			for _, r := range idrange.Settled(ranges) {
				settled = append(settled, entity.ID(r.From).String()+"-"+entity.ID(r.To).String()+"-"+r.Keys[0])
			}
			require.Equal(t, c.settled, strings.Join(settled, " "))
		})
	}
}

func TestAChangeKeepsAllOtherLines(t *testing.T) {
	r := idrange.Range{From: 70000, To: 73000, Keys: []string{"bc:ae:c5:66:28:ea", "bc:ae:c5:66:28:eb"}, Comment: "Ann"}
	const line = "    70000     73000 bc:ae:c5:66:28:ea bc:ae:c5:66:28:eb #Ann"
	require.Equal(t, published+line+"\n", string(idrange.Append([]byte(published), r)))
	require.Equal(t, "# x\r\n1 2 A\r\n"+line+"\r\n", string(idrange.Append([]byte("# x\r\n1 2 A"), r)))
	require.Equal(t, line+"\n", string(idrange.Append(nil, r)))

	r.Line = 2
	require.Equal(t, "# x\r\n"+line+"\r\n3 4 B", string(idrange.Replace([]byte("# x\r\n1 2 A\r\n3 4 B"), r)))
	r.Line = 9
	require.Equal(t, "1 2 A", string(idrange.Replace([]byte("1 2 A"), r)))
}

func TestTheNextRangeIsAboveAll(t *testing.T) {
	unused := func(_, _ uint64) bool { return false }
	free := func(text string, highest uint64) uint64 {
		from, err := idrange.Free(parse(t, text), highest, 3000, unused)
		require.NoError(t, err)
		return from
	}
	require.EqualValues(t, 1000, free("", 0))
	require.EqualValues(t, 70000, free(published, 0))
	require.EqualValues(t, 91000, free(published, 90000))
	require.EqualValues(t, 91000, free(published, 90999))
	require.EqualValues(t, 92000, free(published, 91000))

	// No room above: the lowest gap in which nothing is.
	full := "1000 3000 A\n5000 9000 B\n4000000000 4294967296 C\n"
	require.EqualValues(t, 9000, free(full, 0))
	from, err := idrange.Free(parse(t, full), 0, 3000, func(from, to uint64) bool { return from <= 20500 })
	require.NoError(t, err)
	require.EqualValues(t, 21000, from)
	_, err = idrange.Free(parse(t, "1 4294967296 A\n"), 0, 3000, unused)
	require.ErrorIs(t, err, idrange.ErrFull)
}

// A file that is read can be added to and stays readable, line for line; settled ranges
// have no overlap.
func FuzzParse(f *testing.F) {
	f.Add([]byte(published))
	f.Add([]byte("1 4294967296 A disposable"))
	f.Add([]byte("1 9 A\r\n4 6 B\r\n2 5 disposable disposable#\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ranges, err := idrange.Parse(data, "f")
		if err != nil {
			return
		}
		for _, r := range ranges {
			require.Less(t, r.From, r.To)
			require.NotEmpty(t, r.Keys)
		}
		require.Empty(t, idrange.Overlaps(idrange.Settled(ranges)))
		more := idrange.Append(data, idrange.Range{From: 1, To: 2, Keys: []string{"A"}, Comment: "new"})
		again, err := idrange.Parse(more, "f")
		require.NoError(t, err)
		require.Len(t, again, len(ranges)+1)
		for i, r := range ranges {
			require.Equal(t, r, again[i])
		}
	})
}
