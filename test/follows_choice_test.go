package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a choice brings with it comes, too, however the worlds were brought together: a ref to
// what is deleted after all goes, and comes back with it.
func TestWhatFollowsFromAChoiceComes(t *testing.T) {
	t.Parallel()
	bobs := func(b *bench) {
		b.set(1001, `entity_name = "Bob's"`)
		b.set(6555, "targets = [1001, 1003]")
	}
	anns := func(b *bench) { b.run("rm", config.entityPath("1001")) }
	git := func(place string, argv ...string) func(t *testing.T) *bench {
		return func(t *testing.T) *bench {
			b := gitWorld(t, place, 60)
			b.diverge(bobs, anns)
			b.try("git", argv...)
			return b
		}
	}
	pulled := func(place string) func(t *testing.T) *bench {
		return func(t *testing.T) *bench {
			w := newShared(t, place, 60)
			bobs(w.bob)
			w.publish()
			anns(w.ann)
			require.Len(t, w.ann.pull(1).Left, 1)
			return w.ann
		}
	}
	for name, meet := range inTurn(t, map[string]func(t *testing.T) *bench{
		"merge":               git("plain", "merge", "-q", "bob"),
		"merge while mounted": git("mounted", "merge", "-q", "bob"),
		"rebase":              git("plain", "rebase", "-q", "bob"),
		"pull":                pulled("plain"),
		"pull while mounted":  pulled("mounted"),
		"svn": func(t *testing.T) *bench {
			team := makeSVNTeam(t, "plain")
			bobs(team.bob)
			team.bob.svnCommit("Bob")
			team.ann.run("svn", "rm", "-q", config.entityPath("1001"))
			team.ann.svnUpdate()
			return team.ann
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := meet(t)
			for range 2 {
				out := b.run("worldfs", "resolve", "--take", "mine", "1001")
				require.Contains(t, out, "[1001,1003] became [1003]")
				b.holds(6555, "targets == [1003]")
				require.NotContains(t, b.run("worldfs", "ls"), " 1001 ")
				b.run("worldfs", "check")
				b.run("worldfs", "resolve", "--take", "shared", "1001")
				b.holds(6555, "targets == [1001, 1003]")
				b.holds(1001, `entity_name == "Bob's"`)
			}
			b.set(6555, "travel = 3") // one's own edit, which stands
			b.run("worldfs", "resolve", "--take", "mine", "1001")
			b.holds(6555, "targets == [1003] && travel == 3")
		})
	}
}
