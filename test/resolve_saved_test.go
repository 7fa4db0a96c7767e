package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// What a game's save has marked in the text of an entity that a stopped merge is about, in
// another field, stays marked, is named, and is settled by itself.
func TestResolveKeepsWhatASaveHasMarked(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct {
		place  string
		driver bool
		take   string
		size   string
	}{
		"entities":         {"mounted", true, "mine", "7"},
		"cover":            {"cover", true, "shared", "8"},
		"without a driver": {"mounted", false, "shared", "8"},
	}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, c.place)
			if c.driver {
				b.run("worldfs", "vcs", "install")
			}
			b.diverge(func(b *bench) { b.set(6555, "position.x = 50") }, func(b *bench) { b.set(6555, "position.x = 51") })
			b.run("worldfs", "sync")
			e := b.engine()
			_, code := b.try("git", "merge", "bob")
			require.NotZero(t, code)
			b.set(6555, "map_size = 7")
			b.run("worldfs", "sync")
			e.resize(6555, 8)
			e.replace(true)
			b.eventually(func() bool { return strings.Contains(b.read(config.entityPath("6555")), "\n; map_size\n    8\n") })

			const besides = `marked besides: Door 6555 "bunker door" map_size: yours 7 / shared 8`
			out := b.left()
			require.Contains(t, out, `Door 6555 "bunker door" position: yours 51`)
			require.Contains(t, out, besides)
			require.Contains(t, out, "1 left to settle")
			out = b.left("--take", "mine")
			require.Contains(t, out, besides)
			require.Contains(t, out, "worldfs resolve --take mine|shared 6555 --field map_size")
			require.NotContains(t, out, "next:")
			text := b.read(config.entityPath("6555"))
			require.Contains(t, text, "; position\n    51.0")
			require.Equal(t, 1, strings.Count(text, "<<<<<<<"), text)
			require.Contains(t, text, "; map_size\n    7\n=======\n; map_size\n    8\n>>>>>>>")
			require.Contains(t, b.left(), besides)
			require.Equal(t, text, b.read(config.entityPath("6555")), "nothing changed")

			b.run("worldfs", "resolve", "--take", c.take, "6555", "--field", "map_size")
			b.requireNoMarker()
			require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
			text = b.read(config.entityPath("6555"))
			require.Contains(t, text, "; position\n    51.0")
			require.Contains(t, text, "; map_size\n    "+c.size+"\n")
			b.run("git", "commit", "-q", "-a", "-m", "merged")
			b.run("worldfs", "check")
			require.Empty(t, b.dirty())
		})
	}
}

// A save's mark is no choice that was taken back, though it is about the field that was chosen:
// the choice stands, and so does the mark.
func TestASaveTakesNoChoiceBack(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct{ place, take, size string }{
		"entities": {"mounted", "mine", "6"},
		"cover":    {"cover", "shared", "8"},
	}) {
		t.Run(name, func(t *testing.T) {
			b, e := sizesInConflict(t, c.place)
			b.run("worldfs", "resolve", "--take", "shared", "6555", "--field", "map_size")
			require.Contains(t, b.read(config.entityPath("6555")), "\n; map_size\n    6\n")
			e.saveSize(b, 8)

			const besides = `marked besides: Door 6555 "bunker door" map_size: yours 6 / shared 8`
			for range 2 {
				out := b.left()
				require.Contains(t, out, besides)
				require.NotContains(t, out, "left to settle")
				require.Contains(t, b.read(config.entityPath("6555")), "; map_size\n    6\n=======\n; map_size\n    8\n>>>>>>>")
			}
			b.run("worldfs", "resolve", "--take", c.take, "6555", "--field", "map_size")
			b.requireMerged(c.size)
		})
	}
}

// What a save and the merge have both marked about one field is settled one after the other.
func TestASaveAndTheMergeMarkOneField(t *testing.T) {
	t.Parallel()
	for name, c := range inTurn(t, map[string]struct{ place, first, between, second, size string }{
		"entities": {"mounted", "shared", "6", "shared", "8"},
		"cover":    {"cover", "mine", "7", "shared", "8"},
		"mine":     {"mounted", "shared", "6", "mine", "6"},
	}) {
		t.Run(name, func(t *testing.T) {
			b, e := sizesInConflict(t, c.place)
			e.saveSize(b, 8)
			for range 2 {
				out := b.left()
				require.Contains(t, out, `Door 6555 "bunker door" map_size: yours 7 (ann, 2001-02-03) / shared 6 (bob, 2001-02-03)`)
				require.Contains(t, out, `marked besides: Door 6555 "bunker door" map_size: yours 7 / shared 8`)
				require.Contains(t, b.read(config.entityPath("6555")), "; map_size\n    7\n=======\n; map_size\n    8\n>>>>>>>")
			}
			out := b.left("--take", c.first, "6555", "--field", "map_size")
			require.Contains(t, out, `marked besides: Door 6555 "bunker door" map_size: yours `+c.between+` / shared 8`)
			require.NotContains(t, out, "left to settle")
			b.run("worldfs", "resolve", "--take", c.second, "6555", "--field", "map_size")
			b.requireMerged(c.size)
		})
	}
}

// The value that a save has marked stays where a person has edited the other side's.
func TestTheOtherSideOfASavesMarkIsEdited(t *testing.T) {
	b := resolveWorld(t, "mounted")
	b.run("worldfs", "vcs", "install")
	b.diverge(func(b *bench) { b.set(6555, "position.x = 50") }, func(b *bench) { b.set(6555, "position.x = 51") })
	b.run("worldfs", "sync")
	e := b.engine()
	_, code := b.try("git", "merge", "bob")
	require.NotZero(t, code)
	b.set(6555, "map_size = 7")
	b.run("worldfs", "sync")
	e.saveSize(b, 8)
	const mine, edited = "; map_size\n    7\n=======\n; map_size\n    8\n", "; map_size\n    9\n=======\n; map_size\n    8\n"
	text := b.read(config.entityPath("6555"))
	require.Contains(t, text, mine)
	b.write(config.entityPath("6555"), strings.Replace(text, mine, edited, 1))
	require.Contains(t, b.left("--take", "mine"), `marked besides: Door 6555 "bunker door" map_size: yours 9 / shared 8`)
	require.Contains(t, b.read(config.entityPath("6555")), edited)
}

// What a command that takes in edits has marked amid a stopped merge stays, as a save's marks do.
func TestResolveKeepsWhatApplyHasMarked(t *testing.T) {
	for name, c := range map[string]struct {
		apply func(b *bench) (string, int)
		next  []string
	}{
		"a change set": {func(b *bench) (string, int) {
			b.write("../size.changes", "worldfs changes 1\nchange Door 6555 revision 72\n  map_size 5 -> 8\nend\n")
			return b.try("worldfs", "apply", "../size.changes")
		}, []string{"--take", "mine"}},
		"what a merge left": {func(b *bench) (string, int) {
			b.run("worldfs", "resolve", "--take", "mine") // of the text that is marked already it says so
			b.run("worldfs", "export", "-o", "../ours.jsonl")
			ours := b.read("../ours.jsonl")
			require.Equal(t, 1, strings.Count(ours, `"map_size":7`))
			b.write("../base.jsonl", strings.Replace(ours, `"map_size":7`, `"map_size":5`, 1))
			b.write("../theirs.jsonl", strings.Replace(ours, `"map_size":7`, `"map_size":8`, 1))
			out, code := b.try("worldfs", "merge", "../base.jsonl", "../ours.jsonl", "../theirs.jsonl", "-o", "../merged.jsonl")
			require.Equal(t, 1, code, out)
			return b.try("worldfs", "apply", "../merged.jsonl.conflicts")
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "mounted")
			b.run("worldfs", "vcs", "install")
			b.diverge(func(b *bench) { b.set(6555, "position.x = 50") }, func(b *bench) { b.set(6555, "position.x = 51") })
			b.run("worldfs", "sync")
			_, code := b.try("git", "merge", "bob")
			require.NotZero(t, code)
			b.set(6555, "map_size = 7")
			out, code := c.apply(b)
			require.Equal(t, 1, code, out)
			const both = "; map_size\n    7\n=======\n; map_size\n    8\n>>>>>>>"
			require.Contains(t, b.read(config.entityPath("6555")), both)
			require.Contains(t, b.left(c.next...), `marked besides: Door 6555 "bunker door" map_size: yours 7 / shared 8`)
			require.Contains(t, b.read(config.entityPath("6555")), both)
			b.run("worldfs", "resolve", "--take", "shared", "6555", "--field", "map_size")
			b.requireMerged("8")
		})
	}
}

// What apply has marked once, and a person has settled, is the merge's where that comes to the
// same values: it is settled by one choice, and no file is staged with markers.
func TestAMergeOfWhatApplyHasMarkedBefore(t *testing.T) {
	for _, place := range []string{"plain", "mounted"} {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.run("worldfs", "vcs", "install")
			b.diverge(func(b *bench) { b.set(6555, "map_size = 8") }, func(b *bench) { b.set(6555, "map_size = 7") })
			b.write("../size.changes", "worldfs changes 1\nchange Door 6555 revision 72\n  map_size 5 -> 8\nend\n")
			out, code := b.try("worldfs", "apply", "../size.changes")
			require.Equal(t, 1, code, out)
			b.run("worldfs", "resolve", "--take", "mine")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			_, code = b.try("git", "merge", "bob")
			require.NotZero(t, code)
			require.Contains(t, b.left(), `Door 6555 "bunker door" map_size: yours 7`)
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git commit")
			require.NotContains(t, b.run("git", "show", ":"+config.entityPath("6555")), "<<<<<<<")
			b.requireMerged("7")
		})
	}
}

// sizesInConflict is a world in which a merge has stopped at a door's map_size, yours 7 and shared
// 6, and a game that has loaded it before.
func sizesInConflict(t *testing.T, place string) (*bench, *engine) {
	b := resolveWorld(t, place)
	b.run("worldfs", "vcs", "install")
	b.run("worldfs", "sync")
	e := b.engine()
	b.diverge(func(b *bench) { b.set(6555, "map_size = 6") }, func(b *bench) { b.set(6555, "map_size = 7") })
	b.run("worldfs", "sync")
	_, code := b.try("git", "merge", "bob")
	require.NotZero(t, code)
	return b, e
}

// saveSize saves a pack with another map_size of the door, and waits until it is marked.
func (e *engine) saveSize(b *bench, size uint64) {
	e.resize(6555, size)
	e.replace(true)
	b.eventually(func() bool {
		return strings.Contains(b.read(config.entityPath("6555")), fmt.Sprintf("\n; map_size\n    %d\n", size))
	})
}

// requireMerged commits what was merged, with that map_size of the door.
func (b *bench) requireMerged(size string) {
	b.Helper()
	b.requireNoMarker()
	require.Contains(b, b.run("worldfs", "resolve"), "next: git commit")
	require.Contains(b, b.read(config.entityPath("6555")), "; map_size\n    "+size+"\n")
	b.run("git", "commit", "-q", "-a", "-m", "merged")
	b.run("worldfs", "check")
	require.Empty(b, b.dirty())
}

// resize gives a door another map_size.
func (e *engine) resize(id entity.ID, size uint64) {
	n, ok := e.world.Get(id)
	require.True(e.t, ok)
	n = n.Clone()
	n.Values[n.Layout.Index("map_size")] = entity.NewUint(entity.KindU32, size)
	e.world.Put(n)
}
