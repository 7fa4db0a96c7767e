package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// svnMadeTwice has Ann on trunk and Bob on a branch make a door of one ID, and refer to it.
func svnMadeTwice(t *testing.T, id, ranges string) (ann, bob *bench, branch string) {
	team := newSVNTeam(t, "plain")
	ann, bob = team.ann.role("Ann"), team.bob.role("Bob")
	ann.write("id_ranges", ann.read("id_ranges")+"# people\n"+ranges)
	ann.svnCommit("Ann")
	branch = strings.TrimSuffix(team.url, "trunk") + "branch"
	bob.run("svn", "copy", "-q", "-m", "branch", team.url, branch)
	bob.run("svn", "switch", "-q", branch)
	for _, p := range []struct {
		b      *bench
		person string
		from   int
	}{{ann, "Ann", 6001}, {bob, "Bob", 6005}} {
		p.b.copyOf(id, p.person+"'s door")
		p.b.set(p.from, "group_id = "+id)
		p.b.svnCommit(p.person)
	}
	return ann, bob, branch
}

// mergedFrom merges a branch of svn's and returns what resolve says.
func (b *bench) mergedFrom(url string) string {
	b.Helper()
	b.run("svn", "update", "-q")
	b.run("svn", "merge", "-q", "--accept", "postpone", url)
	out := b.run("worldfs", "resolve")
	b.svnNoMore()
	require.NotContains(b, out, "your edit stands", "what svn has merged was edited by nobody here")
	return out
}

// Two people who merge each other's branches at the same time choose the same new ID, in its
// creator's range, and refs follow on both machines, also in files that svn has merged by itself.
func TestSVNMadeTwiceOnBranches(t *testing.T) {
	t.Parallel()
	for id, c := range map[string]struct{ stays, moves, to string }{
		"158001": {"Ann's door", "Bob's door", "160"},
		"57999":  {"Bob's door", "Ann's door", "158"},
	} {
		t.Run(id, func(t *testing.T) {
			ann, bob, branch := svnMadeTwice(t, id, "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n")
			trunk := strings.TrimSuffix(branch, "branch") + "trunk"
			for b, from := range map[*bench]string{ann: branch, bob: trunk} {
				require.NotContains(t, b.mergedFrom(from), noRange)
				require.NotContains(t, b.run("worldfs", "status"), "it was made here", "one of the two is another's")
				require.Equal(t, c.stays, nameOf(b, id))
				moved := b.idOf(c.moves)
				require.Len(t, moved, 6)
				require.Equal(t, c.to, moved[:3])
				require.Contains(t, b.run("worldfs", "show", "6001"), b.idOf("Ann's door"))
				require.Contains(t, b.run("worldfs", "show", "6005"), b.idOf("Bob's door"))
			}
			bob.svnCommit("Bob")
			ann.svnCommit("Ann")
			require.Equal(t, ann.idOf(c.moves), bob.idOf(c.moves))
			ann.mergedFrom(branch)
			for _, name := range []string{"Ann's door", "Bob's door"} {
				ann.requireOnce(name)
			}
			ann.run("worldfs", "check")
		})
	}
}

// So it is with refs in files that both have changed, and that svn has merged by lines or worldfs
// for it by property; also where the person has edited something else in them, before or after,
// and where it cannot be merged by property since the branch declares a field more.
func TestSVNMadeTwiceAndReferredToInFilesOfBoth(t *testing.T) {
	t.Parallel()
	for _, edited := range someOf(t, []string{"", "before", "after", "declared"}) {
		for _, installed := range someOf(t, []bool{false, true}, edited) {
			t.Run(fmt.Sprint(edited, installed), func(t *testing.T) {
				const id = "158001"
				ann, bob, branch := svnMadeTwice(t, id, "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n")
				if installed {
					ann.run("worldfs", "vcs", "install", "--yes")
					ann.run("svn", "update", "-q")
				}
				ann.set(6005, "position.x = position.x + 1")
				ann.svnCommit("Ann")
				bob.set(6001, "position.x = position.x + 1")
				if edited == "declared" {
					for id, file := range map[int]string{6001: "types/Puzzle_Panel.toml", 6005: "types/Lamp.toml"} {
						bob.write(file, bob.read(file)+"\n[[fields]]\nname = \"bobs\"\nkind = \"u32\"\noptional = true\n")
						bob.set(id, "bobs = 3")
					}
				}
				bob.svnCommit("Bob")
				positions := []string{ann.valueOf("6005", "position"), bob.valueOf("6001", "position")}
				trunk := strings.TrimSuffix(branch, "branch") + "trunk"
				for b, from := range map[*bench]string{ann: branch, bob: trunk} {
					edit := func(when string) {
						if edited == when {
							b.set(6001, `entity_name = "panel"`)
							b.set(6005, `entity_name = "lamp"`)
						}
					}
					b.run("svn", "update", "-q")
					edit("before")
					b.run("svn", "merge", "-q", "--accept", "postpone", from)
					edit("after")
					require.NotContains(t, b.run("worldfs", "resolve"), "your edit stands")
					b.svnNoMore()
					require.NotEqual(t, id, b.idOf("Bob's door"))
					require.Equal(t, b.idOf("Ann's door"), b.valueOf("6001", "group_id"))
					require.Equal(t, b.idOf("Bob's door"), b.valueOf("6005", "group_id"))
					require.Equal(t, positions, []string{b.valueOf("6005", "position"), b.valueOf("6001", "position")})
					if edited == "before" || edited == "after" {
						require.Equal(t, `"panel"`, b.valueOf("6001", "entity_name"))
						require.Equal(t, `"lamp"`, b.valueOf("6005", "entity_name"))
					}
				}
			})
		}
	}
}

// valueOf returns a field of an entity as show prints it.
func (b *bench) valueOf(id, field string) string {
	b.Helper()
	_, rest, found := strings.Cut(b.run("worldfs", "show", id), "; "+field+"\n")
	require.True(b, found)
	value, _, _ := strings.Cut(rest, "\n; ")
	return strings.TrimSpace(value)
}

// Where nobody has a range the content chooses, outside all ranges, and a finding says how to
// settle that.
func TestSVNMadeTwiceByPeopleWithoutRanges(t *testing.T) {
	ann, bob, branch := svnMadeTwice(t, "57999", "")
	trunk := strings.TrimSuffix(branch, "branch") + "trunk"
	require.Contains(t, ann.mergedFrom(branch), noRange)
	require.Contains(t, bob.mergedFrom(trunk), noRange)
	for _, name := range []string{"Ann's door", "Bob's door"} {
		require.Equal(t, ann.idOf(name), bob.idOf(name))
	}
	require.Contains(t, ann.run("worldfs", "status"), "worldfs ids check --fix")
	ann.run("worldfs", "ids", "check", "--fix")
	require.NotContains(t, ann.run("worldfs", "status"), "is in no range")
}

func nameOf(b *bench, id string) string {
	for _, name := range []string{"Ann's door", "Bob's door"} {
		if strings.Contains(b.run("worldfs", "show", id), `"`+name+`"`) {
			return name
		}
	}
	return ""
}
