package test

import (
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

// resize gives a door another map_size.
func (e *engine) resize(id entity.ID, size uint64) {
	n, ok := e.world.Get(id)
	require.True(e.t, ok)
	n = n.Clone()
	n.Values[n.Layout.Index("map_size")] = entity.NewUint(entity.KindU32, size)
	e.world.Put(n)
}
