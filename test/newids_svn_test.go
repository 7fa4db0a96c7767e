package test

import (
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
