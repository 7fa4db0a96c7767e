package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pull reminds of what an earlier one left in conflict, be it about an entity or about a
// declaration, with one exit status, until it is settled. Nothing is touched meanwhile.
func TestPullRemindsOfADeclarationInConflict(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct{ place, about, settle string }{
		{"plain", "entity", "--take mine"},
		{"plain", "declaration", "--take mine"},
		{"mounted", "declaration", "--take shared"},
		{"below", "declaration, committed", "--take mine"},
		{"cover", "declaration", "in the file"},
	}) {
		t.Run(c.place+" "+c.about, func(t *testing.T) {
			t.Parallel()
			w := newShared(t, c.place, 100)
			b := w.ann
			w.bob.editOne(c.about, "51", "0.05")
			w.publish()
			b.editOne(c.about, "59", "0.09")
			if c.about == "declaration, committed" {
				b.commit("Ann")
			}
			require.Len(t, b.pull(1).Left, 1)
			w.bob.set(6005, "position.x = 7")
			w.publish()
			status, types := b.dirty(), b.declarations()
			for range 2 {
				for _, command := range []string{"pull", "incoming"} {
					out, code := b.try("worldfs", command)
					require.Equal(t, 3, code, out)
					require.Contains(t, out, "worldfs resolve")
					if c.about != "entity" {
						require.Contains(t, out, "a conflict is left from before, in types/Cable.toml")
					}
				}
			}
			require.Equal(t, status, b.dirty())
			require.Equal(t, types, b.declarations())
			args := strings.Fields(c.settle)
			if c.settle == "in the file" {
				args = nil
				b.run("sed", "-i", "/^<<<<<<< /d; /^=======/,/^>>>>>>> /d", "types/Cable.toml")
			}
			b.run("worldfs", append([]string{"resolve"}, args...)...)
			require.Equal(t, 1, b.pull(0).Commits)
			b.holds(6005, "position.x == 7")
			b.requireNoMarker()
		})
	}
}

// So does one of svn's, where svn itself has met no conflict.
func TestPullOfSVNRemindsOfADeclarationInConflict(t *testing.T) {
	team := newSVNTeam(t, "plain")
	ann, bob := team.ann, team.bob
	bob.editOne("declaration", "51", "0.05")
	bob.svnCommit("Bob")
	ann.editOne("declaration", "59", "0.09")
	require.Len(t, ann.pull(1).Left, 1)
	bob.set(6005, "position.x = 7")
	bob.svnCommit("Bob")
	out, code := ann.try("worldfs", "pull")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "left from before")
	ann.run("worldfs", "resolve", "--take", "mine")
	require.Equal(t, 1, ann.pull(0).Commits)
	ann.requireNoMarker()
}

// editOne gives a value to a field of an entity, or to a default in a declaration.
func (b *bench) editOne(about, size, thickness string) {
	b.Helper()
	if about == "entity" {
		b.set(6555, "map_size = "+size)
		b.run("worldfs", "sync")
		return
	}
	b.run("sed", "-i", "s/default = 0.04/default = "+thickness+"/", "types/Cable.toml")
}

// A text may leave a field out, which has its default then. Who writes all of them out, and has
// the field be optional from then on, has changed no value: so it is for who pulls that, also
// of a text that is edited, or is new, and still leaves the field out.
func TestPullOfADefaultThatIsWrittenOut(t *testing.T) {
	t.Parallel()
	for _, c := range someOf(t, []struct{ place, how string }{
		{"plain", "pull"}, {"plain", "git"}, {"mounted", "pull"}, {"mounted", "git"}, {"cover", "pull"}, {"below", "pull"},
	}) {
		t.Run(c.place+" "+c.how, func(t *testing.T) {
			t.Parallel()
			w := newShared(t, c.place, 300)
			ann, bob := w.ann, w.bob
			for _, id := range []string{"6025", "6026"} {
				bob.run("sed", "-i", "/^; thickness/,+1d", config.entityPath(id))
			}
			w.publish()
			ann.pull(0)
			bob.run("worldfs", "fmt")
			bob.run("sed", "-i", "s/^default = 0.04/optional = true/", "types/Cable.toml")
			w.publish()
			if c.how == "git" {
				ann.run("git", "pull", "-q", "--no-rebase")
				ann.run("worldfs", "sync")
			} else {
				ann.run("sed", "-i", "/^; entity_name/{n;s/.*/    \"hers\"/}", config.entityPath("6026"))
				ann.run("worldfs", "sync")
				ann.pull(0)
				ann.holds(6026, `entity_name == "hers"`)
			}
			for _, id := range []int{6025, 6026} {
				ann.holds(id, "thickness > 0.03 && thickness < 0.05")
			}
			require.Equal(t, bob.run("cat", config.entityPath("6025")), ann.run("cat", config.entityPath("6025")))
		})
	}
}
