package island_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
)

// given is a line of id_ranges.
type given struct {
	from, to   entity.ID
	role       string
	disposable bool
}

func parseRanges(t *testing.T, text string) []given {
	var out []given
	for line := range strings.Lines(text) {
		var r given
		words, comment, ok := strings.Cut(line, "#")
		require.True(t, ok, line)
		_, err := fmt.Sscan(words, &r.from, &r.to, &r.role)
		require.NoError(t, err, line)
		require.Equal(t, r.role, strings.TrimSpace(comment))
		r.disposable = len(strings.Fields(words)) == 4
		require.Equal(t, r.disposable, strings.Contains(words, " disposable "))
		if len(out) > 0 {
			require.GreaterOrEqual(t, r.from, out[len(out)-1].to, "ranges are in order and apart")
		}
		out = append(out, r)
	}
	return out
}

func TestIDsAreFromTheRanges(t *testing.T) {
	for _, n := range append(sizes, 60_000) {
		ranges := parseRanges(t, island.RangesText(n))
		used := make(map[string]int)
		for e := range island.Generate(n, seed).All() {
			owner := given{}
			for _, r := range ranges {
				if r.from <= e.ID && e.ID < r.to {
					owner = r
				}
			}
			require.NotEmpty(t, owner.role, "%d entities: %s is in no range", n, e)
			require.Equal(t, e.Type() == "Grass_Cluster", owner.disposable, "%s", e)
			used[owner.role]++
		}
		require.Zero(t, used["Visitors"])
	}
}

func TestIDsHaveGaps(t *testing.T) {
	ids := island.Generate(island.DefaultEntities, seed).IDs()
	gaps := 0
	for i := 1; i < len(ids); i++ {
		if ids[i] != ids[i-1]+1 {
			gaps++
		}
	}
	require.InDelta(t, 320, gaps, 100)
}

func TestRangesText(t *testing.T) {
	require.Equal(t, `     1000      2000 World #World
     6000     10000 Puzzles #Puzzles
    10000     13000 Lighting #Lighting
    13000     14000 Audio #Audio
    16000     20000 Architecture #Architecture
    28000     40000 Nature #Nature
    58000     70000 Clusters disposable #Clusters
    90000     91000 Visitors #Visitors
`, island.RangesText(island.DefaultEntities))
	require.Contains(t, island.RangesText(100_000), "    90000     91000 Visitors #Visitors\n   100000 ")
}
