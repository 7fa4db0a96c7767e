package test

import (
	"fmt"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two people add one file, and svn is told of both: equal ones are one, of others with one ID
// each is kept, one of them under a new ID.
func TestPullOfSVNWhereBothAdded(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "sharded"}) {
		for _, hers := range []string{"equal", "different"} {
			t.Run(place+", "+hers, func(t *testing.T) {
				team := newSVNTeam(t, place)
				ann, bob := team.ann, team.bob
				const id = 150777
				name := config.entityPath("150777")
				if place == "sharded" { // a directory that neither has, so both add it
					name = "entities/777/150777.entity_text"
				}
				add := func(b *bench, entityName string) {
					b.addedAs(name, id, entityName)
					b.run("worldfs", "sync")
					b.run("svn", "add", "-q", "--force", "--parents", name)
				}
				add(bob, "bobs")
				bob.set(6005, "position.x = 7")
				bob.svnCommit("Bob")
				if hers == "equal" {
					add(ann, "bobs")
				} else {
					add(ann, "anns")
				}
				ann.set(10000, "position.x = 1")
				before := ann.run("svn", "status")
				out, code := ann.try("worldfs", "incoming")
				require.Zero(t, code, out)
				require.NotContains(t, out, "Assertion")
				require.Equal(t, before, ann.run("svn", "status"))

				ann.pull(0)
				ann.holds(6005, "position.x == 7")
				ann.holds(10000, "position.x == 1")
				ann.requireOnce("bobs")
				ann.run("worldfs", "sync")
				if hers == "equal" {
					require.NotContains(t, ann.run("svn", "status"), path.Base(name))
				} else {
					ann.requireOnce("anns")
					require.NotEqual(t, "150777", ann.idOf("anns"), "what is shared has the ID")
					require.NotContains(t, ann.run("svn", "status"), path.Base(name))
				}
				ann.svnNoMore()
				require.Contains(t, ann.run("worldfs", "pull"), "nothing comes in")
				team.fresh()
			})
		}
	}
}

// addedAs makes an entity in a file of a name, as a copy of a group.
func (b *bench) addedAs(name string, id int, entityName string) {
	b.Helper()
	from := config.entityPath("1002")
	if path.Dir(path.Dir(name)) != "." {
		from = "entities/002/1002.entity_text"
	}
	b.run("mkdir", "-p", path.Dir(name))
	b.run("sh", "-c", "sed '"+fmt.Sprintf(`s/^1002$/%d/; s/"bunker"/"%s"/`, id, entityName)+"' "+from+" >"+name)
}

// What a person has put into a changelist of svn's is edited here as what is in none.
func TestPullOfSVNSeesChangelists(t *testing.T) {
	team := newSVNTeam(t, "plain")
	ann, bob := team.ann, team.bob
	bob.set(6555, "position = [50, 108.1, 8.7]", "map_size = 99")
	bob.svnCommit("Bob")
	ann.set(6555, "position = [46, 109, 8.7]", "travel = 3")
	ann.run("svn", "changelist", "-q", "later", config.entityPath("6555"))
	out, code := ann.try("worldfs", "incoming")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "would be in conflict: Door 6555")
	require.Len(t, ann.pull(1).Left, 1)
	ann.run("worldfs", "resolve", "--take", "mine")
	ann.holds(6555, "position.x == 46 && map_size == 99 && travel == 3")
}

// A file that both have added besides the world is refused, and nothing was touched; so is a
// directory that others have deleted, with what was edited in it.
func TestPullOfSVNRefusesWhatBothAddedBesidesTheWorld(t *testing.T) {
	team := newSVNTeam(t, "plain")
	ann, bob := team.ann, team.bob
	bob.run("sh", "-c", "mkdir docs && echo one >docs/plan")
	bob.run("svn", "add", "-q", "docs")
	bob.svnCommit("Bob")
	ann.pull(0)
	bob.run("svn", "delete", "-q", "docs")
	for _, b := range []*bench{bob, ann} {
		b.write("notes", b.dir)
		b.run("svn", "add", "-q", "notes")
	}
	bob.set(6005, "position.x = 7")
	bob.svnCommit("Bob")
	ann.write("docs/plan", "two\n")
	before := ann.run("svn", "status", "-v")
	out, code := ann.try("worldfs", "pull")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "nothing was touched: docs/plan, notes changed here")
	require.Equal(t, before, ann.run("svn", "status", "-v"))
	ann.run("svn", "revert", "-q", "docs/plan", "notes")
	ann.run("rm", "notes")
	ann.pull(0)
	ann.holds(6005, "position.x == 7")
}
