package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is edited amid a conflict, in a text that version control has marked by itself and that
// can be read, is there after resolve: whether a program, a command or a game's save has done so.
func TestAnEditBesideTheMarkersOfVersionControlStays(t *testing.T) {
	t.Parallel()
	edits := map[string]func(*bench){
		"typed": func(b *bench) {
			door := config.entityPath("6555")
			text := b.read(door)
			b.write(door, strings.Replace(text, "; map_size\n    512\n", "; map_size\n    9\n", 1))
		},
		"set": func(b *bench) { b.set(6555, "map_size = 9") },
		"saved": func(b *bench) {
			e := b.engine()
			e.resize(6555, 9)
			e.replace(true)
		},
	}
	for name, c := range inTurn(t, map[string]struct {
		vcs, place, edit, take, name string
	}{
		"git, typed": {"git", "", "typed", "mine", "ann's"},
		"git, set":   {"git", "cover", "set", "shared", "bob's"},
		"git, saved": {"git", "mounted", "saved", "base", "bunker door"},
		"svn, typed": {"svn", "cover", "typed", "shared", "bob's"},
		"svn, set":   {"svn", "plain", "set", "mine", "ann's"},
		"svn, saved": {"svn", "plain", "saved", "mine", "ann's"},
	}) {
		t.Run(name, func(t *testing.T) {
			ann, bob := func(b *bench) { b.set(6555, `entity_name = "ann's"`) }, func(b *bench) { b.set(6555, `entity_name = "bob's"`) }
			var b *bench
			if c.vcs == "svn" {
				team := newSVNTeam(t, c.place)
				b = team.ann
				bob(team.bob)
				team.bob.svnCommit("Bob")
				ann(b)
				b.svnUpdate()
			} else {
				b = resolveWorld(t, c.place)
				b.diverge(bob, ann)
				_, code := b.try("git", "merge", "bob")
				require.NotZero(t, code)
			}
			require.Contains(t, b.read(config.entityPath("6555")), "<<<<<<<")
			edits[c.edit](b)
			b.run("worldfs", "sync")
			b.eventually(func() bool { return sizeOf(t, b.doorText()) == "9" })
			for range 2 {
				require.Contains(t, b.left(), `entity_name: yours "ann's"`)
				require.Equal(t, "9", sizeOf(t, b.doorText()))
			}
			require.Contains(t, b.run("worldfs", "resolve", "--take", c.take, "6555"), "next: ")
			text := b.doorText()
			require.Equal(t, "9", sizeOf(t, text))
			require.Contains(t, text, "; entity_name\n    \""+c.name+"\"\n")
			b.requireNoMarker()
		})
	}
}
