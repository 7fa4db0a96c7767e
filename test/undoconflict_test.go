package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stops are operations of git's that a conflict stops, between Ann's edits of a door, its
// position first and then how far it travels, and Bob's of its position.
var stops = map[string]func(b *bench){
	"merge": func(b *bench) {
		b.Helper()
		b.diverge(bobMoves, annMoves)
		_, status := b.try("git", "merge", "-q", "bob")
		require.Equal(b, 1, status)
	},
	"stash": func(b *bench) {
		b.Helper()
		base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
		b.part(base, "bob", bobMoves)
		b.run("git", "checkout", "-q", base)
		annMoves(b)
		b.run("git", "stash", "-q")
		b.run("git", "merge", "-q", "--ff-only", "bob")
		_, status := b.try("git", "stash", "pop", "-q")
		require.Equal(b, 1, status)
	},
}

func bobMoves(b *bench) { b.set(6555, "position = [50, 108.1, 8.7]") }

func annMoves(b *bench) {
	b.set(6555, "position = [46, 109, 8.7]")
	b.set(6555, "travel = 3")
}

// requireDisputed fails unless the door's position is marked with both sides.
func (b *bench) requireDisputed() {
	b.Helper()
	text := b.read(config.entityPath("6555"))
	require.Equal(b, 1, strings.Count(text, "<<<<<<< "), text)
	for _, side := range []string{"46.000000", "109.000000", "50.000000"} {
		require.Contains(b, text, side)
	}
}

// An undo amid a stopped merge takes no side of a conflict away: it gives what is in conflict
// no value, and one of what settled it brings the conflict back.
func TestUndoAmidAConflict(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		for how, stop := range stops {
			for name, check := range map[string]func(b *bench){
				"another field": func(b *bench) {
					require.Contains(b, b.run("worldfs", "undo"), "travel")
					b.holds(6555, "travel != 3")
					b.requireDisputed()
					require.Contains(b, b.run("worldfs", "redo"), "travel")
					b.holds(6555, "travel == 3")
					b.requireDisputed()
					b.set(6555, "map_size = 7")
					b.requireDisputed()
					require.Contains(b, b.run("worldfs", "undo"), "map_size")
				},
				"the same field": func(b *bench) {
					b.run("worldfs", "undo")
					panel := b.read(config.entityPath("6006"))
					out, status := b.try("worldfs", "undo", "--yes")
					require.Equal(b, 1, status, out)
					require.Contains(b, out, "nothing was undone")
					require.Contains(b, out, `Door 6555 "bunker door": position is in conflict: settle it with worldfs resolve`)
					require.Equal(b, panel, b.read(config.entityPath("6006")), "it is mounted on the door")
				},
				"deleted since": func(b *bench) {
					b.holds(6555, "travel == 3") // the world has seen what is marked
					b.run("rm", config.entityPath("6555"))
					require.Contains(b, b.run("worldfs", "undo", "6555"), "6555")
					b.holds(6555, "travel == 3")
				},
				"broken since": func(b *bench) {
					b.holds(6555, "travel == 3") // the world has seen what is marked
					b.run("sed", "-i", "s/^; travel$/; travel\\n<<<<<<< x/", config.entityPath("6555"))
					broken := b.read(config.entityPath("6555"))
					b.try("worldfs", "check")
					for range 2 {
						require.Contains(b, b.run("worldfs", "undo", "6555", "--any"), "broken by")
						b.requireDisputed()
						require.Contains(b, b.left(), "position: yours ")
						b.run("worldfs", "redo", "6555")
						require.Equal(b, broken, b.read(config.entityPath("6555")))
					}
					b.run("worldfs", "undo", "6555", "--any")
				},
				"settled since": func(b *bench) {
					for _, side := range []string{"shared", "mine"} {
						b.run("worldfs", "resolve", "--take", side)
						require.NotContains(b, b.read(config.entityPath("6555")), "<<<<<<<")
						text := b.read(config.entityPath("6555"))
						require.Contains(b, b.run("worldfs", "undo", "--yes"), "6555")
						b.requireDisputed()
						b.run("worldfs", "redo", "--yes")
						require.Equal(b, text, b.read(config.entityPath("6555")))
						b.run("worldfs", "undo", "--yes")
						b.requireDisputed()
					}
				},
			} {
				t.Run(place+" "+how+" "+name, func(t *testing.T) {
					b := gitWorldOf(t, place)
					b.run("worldfs", "vcs", "install")
					b.try("git", "commit", "-q", "-a", "-m", "installed")
					stop(b)
					require.Contains(b, b.left(), "position: yours ")
					b.requireDisputed()
					check(b)
					b.requireDisputed()
					b.run("worldfs", "resolve", "--take", "shared")
					b.holds(6555, "position.x == 50")
				})
			}
		}
	}
}

// What a pull or a stash that is taken in again brings is no edit of one's own where it met a
// conflict either: undo takes one's own edits back, and what colleagues did stays.
func TestUndoAfterAPullWithAConflict(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		for name, take := range map[string]func(b *bench){
			"worldfs pull": func(b *bench) { b.pull(1) },
			"git pull":     func(b *bench) { b.run("git", "pull", "-q", "--rebase", "--autostash") },
			"git stash": func(b *bench) {
				b.run("git", "stash", "-q")
				b.run("git", "pull", "-q", "--ff-only")
				_, status := b.try("git", "stash", "pop", "-q")
				require.Equal(b, 1, status)
			},
		} {
			t.Run(place+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newShared(t, place, 60)
				b := w.ann.ownIDs()
				w.bob.set(6555, "position = [50, 108.1, 8.7]", `entity_name = "bobs"`)
				w.bob.set(6005, `entity_name = "bobs too"`)
				w.publish()
				b.set(6005, "radius = 4.5")
				annMoves(b)
				b.run("worldfs", "sync")
				take(b)
				b.holds(6005, `entity_name == "bobs too" && radius == 4.5`)
				require.Contains(t, b.left(), "position: yours 46, 109, 8.7")

				out := b.run("worldfs", "undo")
				require.Contains(t, out, "travel")
				out, status := b.try("worldfs", "undo", "--yes")
				require.Equal(t, 1, status, out)
				require.Contains(t, out, "position is in conflict: settle it with worldfs resolve")
				b.requireDisputed()
				require.Contains(t, b.run("worldfs", "undo", "6005"), "radius")
				b.holds(6005, `entity_name == "bobs too" && radius != 4.5`)
				b.run("worldfs", "resolve", "--take", "shared")
				b.holds(6555, `position.x == 50 && entity_name == "bobs" && travel != 3`)
			})
		}
	}
}

// A merge that is begun again marks what a person has settled amid the one before: undo leaves
// that alone, and goes on to what the person did before it.
func TestUndoAfterAMergeIsBegunAgain(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"mounted", "plain", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := gitWorldOf(t, place)
			b.run("worldfs", "vcs", "install")
			b.try("git", "commit", "-q", "-a", "-m", "installed")
			stops["merge"](b)
			b.requireDisputed()
			name := config.entityPath("6555")
			marked := b.read(name)
			b.holds(6555, "travel == 3") // the world has seen what is marked
			b.write(name, b.run("git", "show", "HEAD:"+name))
			b.holds(6555, "travel == 3")
			b.run("git", "merge", "--abort")
			_, status := b.try("git", "merge", "-q", "bob")
			require.Equal(t, 1, status)
			require.Equal(t, marked, b.read(name))

			require.Contains(t, b.run("worldfs", "undo", "--dry-run"), "travel")
			require.Contains(t, b.run("worldfs", "undo"), "travel")
			b.holds(6555, "travel != 3")
			b.requireDisputed()
			require.Contains(t, b.run("worldfs", "redo"), "travel")
			b.holds(6555, "travel == 3")
			b.requireDisputed()
		})
	}
}

// What settled a conflict just before the daemon was killed is in no history yet: undo brings
// the conflict back all the same.
func TestUndoOfWhatSettledAConflictBeforeAKill(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"shared", "mine"} {
		t.Run(side, func(t *testing.T) {
			b := gitWorldOf(t, "mounted")
			b.run("worldfs", "vcs", "install")
			b.try("git", "commit", "-q", "-a", "-m", "installed")
			stops["merge"](b)
			b.holds(6555, "travel == 3") // the world has seen what is marked
			b.run("worldfs", "sync")
			b.run("worldfs", "resolve", "--take", side, "6555")
			text := b.read(config.entityPath("6555"))
			b.run("sync", config.entityPath("6555"))
			b.kill()
			b.mount()
			require.Equal(t, text, b.read(config.entityPath("6555")))
			require.Contains(t, b.run("worldfs", "undo", "6555", "--yes"), "6555")
			b.requireDisputed()
		})
	}
}
