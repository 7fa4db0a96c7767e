package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a game saves decides no conflict that is marked in the text: a pack has one side's value,
// so that its program has not seen the other. A stopped merge has both sides still, and what the
// game saved is the person's own.
func TestASaveDecidesNoConflictOfAMerge(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct{ place, take, size string }{
		"entities":  {"mounted", "mine", "9"},
		"cover":     {"cover", "shared", "6"},
		"unmounted": {"", "mine", "9"},
		"neither":   {"", "base", "512"},
	}) {
		t.Run(name, func(t *testing.T) {
			b, _ := sizesInConflict(t, c.place)
			e := b.engine() // it has 7, of the merge's two values
			e.resize(6555, 9)
			e.replace(true)
			b.requireSizes("9", "6")
			for range 2 {
				require.Contains(t, b.left(), `Door 6555 "bunker door" map_size: yours 9 (ann, 2001-02-03) / shared 6 (bob, 2001-02-03)`)
				b.requireSizes("9", "6")
			}
			b.run("worldfs", "resolve", "--take", c.take, "6555")
			b.requireMerged(c.size)
		})
	}
}

// A game that saves a second time over a conflict that its first save has left keeps the value
// that a person has typed; and one that saves the other side's value settles it.
func TestASaveDecidesNoConflictOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	for name, place := range inTurn(t, map[string]string{"entities": "mounted", "cover": "cover", "unmounted": ""}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.run("worldfs", "sync")
			e := b.engine()
			text := b.read(config.entityPath("6555"))
			before := sizeOf(t, text)
			b.write(config.entityPath("6555"), strings.Replace(text, "; map_size\n    "+before+"\n", "; map_size\n    5\n", 1))
			e.resize(6555, 8)
			e.replace(true)
			first, second := "5", "8" // whichever came in first stands first
			if place == "" {
				first, second = second, first
			}
			b.requireSizes(first, second)

			e = b.engine()
			e.resize(6555, 9)
			e.replace(true)
			b.requireSizes("9", second)
			out, code := b.try("worldfs", "check")
			require.Equal(t, 1, code, out)

			// Nor does a change set, which has one value of it as well.
			b.write("resized.changes", "worldfs changes 1\nchange Door 6555 \"bunker door\" revision 72\n  map_size 9 -> 10\nend\n")
			b.run("worldfs", "apply", "resized.changes")
			b.requireSizes("10", second)

			e = b.engine()
			e.resize(6555, map[string]uint64{"5": 5, "8": 8}[second])
			e.replace(true)
			b.eventually(func() bool { return !strings.Contains(b.doorText(), "<<<<<<<") })
			require.Contains(t, b.doorText(), "; map_size\n    "+second+"\n")
			b.run("worldfs", "check")
		})
	}
}
