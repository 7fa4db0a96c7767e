package test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// Four people, each with a working copy of svn, one of them mounted. svn merges file by
// file, and says nothing where it met no conflict: worldfs status then says what to mend.
func TestFourWorkingCopiesAtRandom(t *testing.T) {
	t.Parallel()
	atRandom(t, 30, func(t *testing.T, seed, steps int) {
		team := newSVNPeople(t)
		team.perform(seed, steps, []kind{
			{5, (*clone).workInSVN},
			{2, (*clone).update},
			{3, func(c *clone) { c.publish() }},
		})
		team.agreeInSVN()
	})
}

func newSVNPeople(t *testing.T) *team {
	team := newTeam(t, "svn", "svnadmin")
	team.run("svnadmin", "create", "repo")
	url := "file://" + team.path("repo")
	for i := range 4 {
		name := fmt.Sprint("P", i)
		team.run("svn", "checkout", "-q", url, name)
		c := team.clone(team.cd(name), name)
		if i == 0 {
			team.world(c.bench)
			c.run("worldfs", "vcs", "add")
			c.svnCommits()
		}
		if i == 1 {
			c.mount("--cover", ".")
		}
	}
	team.first = team.clones[0].scene().props
	return team
}

// workInSVN is some edits, of which svn is told.
func (c *clone) workInSVN() {
	c.Helper()
	for range 1 + c.team.random.IntN(4) {
		c.edit()
	}
	c.run("worldfs", "vcs", "sync")
}

// update takes in what others have committed, and settles what is to be settled.
func (c *clone) update() {
	c.Helper()
	c.run("worldfs", "vcs", "sync")
	c.known.union(c.team.atCommit[""])
	c.run("svn", "update", "-q", "--accept", "postpone")
	l := newListing()
	c.settle(l)
	c.decide(l)
	c.mend()
	c.run("worldfs", "vcs", "sync")
	require.NotRegexp(c, `(?m)^(C|.C|.{6}C)`, c.bench.run("svn", "status", "-q"))
	c.requireAllHere()
}

// publish commits, unless something in the repository is newer.
func (c *clone) publish() bool {
	c.Helper()
	c.run("worldfs", "vcs", "sync")
	if !c.svnCommits() {
		return false
	}
	if c.team.atCommit[""] == nil {
		c.team.atCommit[""] = set{}
	}
	c.team.atCommit[""].union(maps.Clone(c.known))
	return true
}

func (c *clone) svnCommits() bool {
	c.Helper()
	c.run("worldfs", "sync")
	_, code := c.try("svn", "commit", "-q", "-m", c.name, "--username", c.name)
	return code == 0
}

// agreeInSVN has all come to the same world.
func (t *team) agreeInSVN() {
	t.Helper()
	for _, c := range t.clones {
		c.note("# at last")
		c.update()
		require.True(t, c.publish())
	}
	first := ""
	for _, c := range t.clones {
		c.update()
		require.Empty(t, c.bench.run("svn", "status", "-q"), c.name)
		require.Empty(t, c.broken(), c.name)
		require.Len(t, c.known, len(t.known()), "%s knows it all", c.name)
		export := c.run("worldfs", "export")
		if first == "" {
			first = export
		}
		require.Equal(t, first, export, c.name)
	}
}
