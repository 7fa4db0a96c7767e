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

// Nor does a game decide one that deletes the entity: the other side's edit, which it has not
// seen, stays, and the deletion is one side of a conflict.
func TestASaveThatDeletesKeepsTheOtherSide(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct {
		place, take string
		deleted     bool
	}{
		"entities":  {"mounted", "mine", true},
		"cover":     {"cover", "shared", false},
		"unmounted": {"", "mine", true},
		"neither":   {"mounted", "shared", false},
	}) {
		t.Run(name, func(t *testing.T) {
			b, _ := sizesInConflict(t, c.place)
			e := b.engine()
			e.world.Delete(6555)
			e.replace(true)
			b.eventually(func() bool {
				b.try("worldfs", "status")
				return strings.Contains(b.doorText(), "yours deleted it")
			})
			require.Contains(t, b.doorText(), "; map_size\n    6\n")
			for range 2 {
				require.Contains(t, b.left(), `marked besides: Door 6555 "bunker door": yours deleted it`)
			}
			b.run("worldfs", "resolve", "--take", c.take, "6555")
			if c.take == "shared" {
				b.requireMerged("6")
				return
			}
			require.NoFileExists(t, b.path(config.entityPath("6555")))
			b.run("git", "commit", "-q", "-a", "-m", "merged")
			b.run("worldfs", "check")
			require.Empty(t, b.dirty())
		})
	}
}

// The same of a conflict that no merge has left, and of a change set.
func TestWhatDeletesKeepsTheOtherSideOfAnEarlierConflict(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct {
		place  string
		remove func(b *bench)
	}{
		"a save, mounted":   {"mounted", deletedBySave},
		"a save, unmounted": {"", deletedBySave},
		"a change set": {"mounted", func(b *bench) {
			b.run("worldfs", "export", "-o", "../is.jsonl")
			b.run("sh", "-c", `grep -v '"id":6555,' ../is.jsonl >../gone.jsonl`)
			b.write("../gone.changes", b.run("worldfs", "diff", "../is.jsonl", "../gone.jsonl"))
			out, code := b.try("worldfs", "apply", "../gone.changes")
			require.Equal(b, 1, code, out)
			require.Contains(b, out, `Door 6555 "bunker door": deleted where it was in conflict`)
		}},
	}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, c.place)
			b.run("worldfs", "sync")
			text := b.read(config.entityPath("6555"))
			size := "; map_size\n    " + sizeOf(t, text) + "\n"
			b.write(config.entityPath("6555"), strings.Replace(text, size, "<<<<<<< yours\n"+size+"=======\n; map_size\n    6\n>>>>>>> shared\n", 1))
			b.run("worldfs", "sync")
			c.remove(b)
			b.eventually(func() bool {
				b.try("worldfs", "status")
				return strings.Contains(b.doorText(), "yours deleted it")
			})
			require.Contains(t, b.doorText(), "; map_size\n    6\n")
			out, code := b.try("worldfs", "check")
			require.Equal(t, 1, code, out)
			b.run("worldfs", "resolve", "--take", "shared", "6555")
			require.Equal(t, "6", sizeOf(t, b.doorText()))
			b.run("worldfs", "check")
		})
	}
}

func deletedBySave(b *bench) {
	e := b.engine()
	e.world.Delete(6555)
	e.replace(true)
}
