package test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A deletion against a change of which only the markers are left is settled for either side:
// they say which side deleted the entity.
func TestResolveADeletionOfWhichMarkersAreLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, place, who string }{
		{"committed merge, plain", "plain", "yours"},
		{"committed merge, mounted", "mounted", "shared"},
		{"game's save, mounted", "mounted", "yours"},
	} {
		for _, take := range []string{"mine", "shared"} {
			t.Run(c.name+", "+take, func(t *testing.T) {
				b := resolveWorld(t, c.place)
				b.quiet(6001)
				if strings.HasPrefix(c.name, "game's") {
					b.saveOfADeleted("6001")
				} else {
					b.commitADeletionMarked(6001, c.who == "yours")
				}
				said := map[string]string{
					"yours":  `Puzzle_Panel 6001 "bunker panel": yours deleted it / shared has position 50`,
					"shared": `Puzzle_Panel 6001 "bunker panel": yours has position 50, `,
				}[c.who]
				out := b.left()
				require.Contains(t, out, said)
				require.Contains(t, out, "1 left to settle")
				out, code := b.try("worldfs", "check")
				require.Equal(t, 1, code, out)
				require.Contains(t, out, c.who+" deleted it")
				require.Contains(t, b.read(config.entityPath("6001")), "\n<<<<<<< yours: "+c.who+" deleted it\n=======\n>>>>>>> shared\n")

				b.run("worldfs", "resolve", "--take", take, "6001")
				b.requireNoMarker()
				gone := (take == "mine") == (c.who == "yours")
				require.Equal(t, !gone, b.hasFile("6001"))
				b.run("worldfs", "sync")
				if out, code = b.try("worldfs", "show", "6001"); !gone {
					require.Zero(t, code, out)
					require.Contains(t, out, "50.0")
				} else {
					require.NotZero(t, code, out)
				}
				b.run("worldfs", "check")
				require.NotContains(t, b.run("worldfs", "resolve"), "written")
				b.run("git", "commit", "-q", "-a", "-m", "settled")
			})
		}
	}
}

// quiet has nothing refer to an entity.
func (b *bench) quiet(id int) {
	b.Helper()
	b.set(6555, "targets = [6005]")
	b.commit("quiet")
}

// hasFile reports whether entities/ has the file of an entity.
func (b *bench) hasFile(id string) bool {
	b.Helper()
	return slices.Contains(b.names("entities"), config.entityPath(id)[len("entities/"):])
}

// commitADeletionMarked leaves nothing of a merge but the markers that say which side deleted
// an entity.
func (b *bench) commitADeletionMarked(id int, byUs bool) {
	b.Helper()
	move := func(b *bench) { b.set(id, "position.x = 50") }
	remove := func(b *bench) { b.run("worldfs", "rm", "--yes", "6001") }
	bob, ann := remove, move
	if byUs {
		bob, ann = move, remove
	}
	b.diverge(bob, ann)
	b.try("git", "merge", "bob")
	b.left()
	b.run("git", "add", "-A")
	b.run("git", "commit", "-n", "-q", "-m", "marked")
	b.run("git", "commit", "-q", "--allow-empty", "-m", "more")
}

// saveOfADeleted has a game save an entity that it has moved and that was deleted meanwhile.
func (b *bench) saveOfADeleted(name string) {
	b.Helper()
	b.run("worldfs", "sync")
	e := b.engine()
	b.run("rm", config.entityPath(name))
	b.run("worldfs", "sync")
	e.move(6001, 18)
	e.replace(true)
	b.eventually(func() bool { return b.hasFile(name) })
}
