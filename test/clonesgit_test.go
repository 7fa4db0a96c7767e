package test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Eight people, each with a clone: some mounted, some with git set up by worldfs.
func TestEightClonesAtRandom(t *testing.T) {
	t.Parallel()
	atRandom(t, 40, func(t *testing.T, seed, steps int) {
		team := newGitTeam(t)
		team.perform(seed, steps, []kind{
			{8, (*clone).work},
			{3, func(c *clone) { c.pull("--no-rebase") }},
			{3, func(c *clone) { c.pull("--rebase") }},
			{2, (*clone).mergePeer},
			{1, (*clone).pick},
			{1, (*clone).pullOverStash},
			{3, func(c *clone) { c.push() }},
		})
		team.agree()
	})
}

func newGitTeam(t *testing.T) *team {
	team := newTeam(t, "git")
	team.git = true
	team.run("git", "init", "-q", "w")
	w := team.cd("w")
	team.world(w)
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "the world")
	team.run("git", "clone", "-q", "--bare", "w", "up.git")
	for i := range 8 {
		name := fmt.Sprint("P", i)
		team.run("git", "clone", "-q", "up.git", name)
		c := team.clone(team.cd(name), name)
		if i%2 == 0 {
			c.run("worldfs", "vcs", "install")
			c.installed = true
		}
		switch i {
		case 1, 2:
			c.mount()
		case 3:
			c.mount("--cover", ".")
		}
	}
	team.atCommit[team.clones[0].head()] = set{}
	team.first = team.clones[0].scene().props
	return team
}

func (c *clone) head() string { return strings.TrimSpace(c.bench.run("git", "rev-parse", "HEAD")) }

// work is some edits and their commit.
func (c *clone) work() {
	c.Helper()
	for range 1 + c.team.random.IntN(4) {
		c.edit()
	}
	c.commit()
}

func (c *clone) commit() {
	c.Helper()
	c.run("worldfs", "sync")
	c.run("git", "add", "-A")
	if _, code := c.try("git", "diff", "--cached", "--quiet"); code != 0 {
		c.run("git", "commit", "-q", "-m", c.name)
	}
	c.team.inCommit[c.head()] = c.dirty
	c.committed()
}

// committed notes what HEAD has come of.
func (c *clone) committed() {
	c.dirty = set{}
	c.team.atCommit[c.head()] = maps.Clone(c.known)
}

func (c *clone) pull(how string) {
	c.Helper()
	c.run("git", "fetch", "-q")
	c.take(c.rev("origin/main"), "pull", "-q", how)
}

func (c *clone) rev(name string) string {
	return strings.TrimSpace(c.bench.run("git", "rev-parse", name))
}

// take takes a commit in, by a command of git's, settles what is to be settled, and goes on
// until git is done.
func (c *clone) take(commit string, args ...string) {
	c.Helper()
	theirs := c.team.atCommit[commit]
	require.NotNil(c, theirs, "it is not known what %s has come of", commit)
	c.known.union(theirs)
	l := newListing()
	c.try("git", args...)
	c.goOn(l)
	c.decide(l)
	c.requireClean()
	c.committed()
	c.requireAllHere()
}

// goOn settles and types the next command, until there is none.
func (c *clone) goOn(l *listing) {
	c.Helper()
	for round := 0; ; round++ {
		require.Less(c, round, 100, "git does not end")
		next := c.settle(l)
		switch next {
		case "":
			require.NotContains(c, c.bench.run("git", "status"), "rebase in progress")
			return
		case "git commit":
			c.run("git", "commit", "-q", "-m", "merged")
		case "git rebase --continue", "git cherry-pick --continue":
			c.run("git", "diff", "--quiet")
			command := strings.Fields(next)
			if _, code := c.try("git", "diff", "--cached", "--quiet"); code == 0 {
				command[2] = "--skip"
			}
			c.try("git", command[1:]...)
		default:
			c.run("git", strings.Fields(next)[1:]...)
			return
		}
	}
}

// requireClean fails if git does not have what the working tree has.
func (c *clone) requireClean() {
	c.Helper()
	require.Empty(c, c.bench.run("git", "status", "--porcelain"))
}

func (c *clone) peer() *clone {
	for {
		if other := c.team.clones[c.team.random.IntN(len(c.team.clones))]; other != c {
			return other
		}
	}
}

// mergePeer merges what another person has committed and perhaps not pushed.
func (c *clone) mergePeer() {
	c.Helper()
	peer := c.peer()
	c.run("git", "fetch", "-q", "../"+peer.name, "HEAD")
	c.take(c.rev("FETCH_HEAD"), "merge", "-q", "-m", "merged "+peer.name, "FETCH_HEAD")
}

// pick picks another person's last commit, if that is not a merge.
func (c *clone) pick() {
	c.Helper()
	peer := c.peer()
	commit := peer.head()
	own := c.team.inCommit[commit]
	if own == nil {
		return
	}
	c.run("git", "fetch", "-q", "../"+peer.name, "HEAD")
	if _, code := c.try("git", "merge-base", "--is-ancestor", commit, "HEAD"); code == 0 {
		return
	}
	strangers, copies := c.strangers(peer, own)
	if copies {
		return // when the branch that has it is merged, too, that is another entity
	}
	c.known.union(own)
	c.team.listed.union(strangers)
	l := newListing()
	c.try("git", "cherry-pick", commit)
	c.goOn(l)
	c.disregard(l)
	c.mend()
	c.commit()
	c.requireAllHere()
}

// strangers returns the edits of a commit that are of entities which are not here, where others
// have their IDs: git takes them into those, and asks nothing that could know better. copies
// says that there are others, of entities that never were here: a pick makes a copy.
func (c *clone) strangers(peer *clone, own set) (edits set, copies bool) {
	c.Helper()
	here, there := c.scene(), peer.scene()
	taken := map[int]bool{}
	for _, e := range here.byKey {
		taken[e.ID] = true
	}
	edits = set{}
	for n := range own {
		key := c.team.events[n].key
		e := there.byKey[key]
		switch {
		case e == nil || here.byKey[key] != nil || c.team.everMade(key, own): // what is made is here then, by this ID or another
		case taken[e.ID]:
			edits[n] = struct{}{}
		case c.team.first[key] == nil && !c.team.everMade(key, c.known):
			copies = true
		}
	}
	return edits, copies
}

// everMade reports whether an entity was made in one of some events.
func (m *model) everMade(key string, in set) bool {
	for n := range in {
		if e := m.events[n]; e.key == key && e.property == exists && e.value != "" {
			return true
		}
	}
	return false
}

// pullOverStash puts edits aside for a pull.
func (c *clone) pullOverStash() {
	c.Helper()
	for range 1 + c.team.random.IntN(3) {
		c.edit()
	}
	c.run("worldfs", "sync")
	c.run("git", "add", "-A")
	if _, code := c.try("git", "diff", "--cached", "--quiet"); code == 0 {
		c.commit()
		return
	}
	mine := maps.Clone(c.dirty)
	known := maps.Clone(c.known)
	for n := range mine {
		delete(c.known, n)
	}
	c.run("git", "stash", "-q")
	c.pull("--no-rebase")
	c.known.union(known)
	l := newListing()
	if _, code := c.try("git", "stash", "pop", "-q"); code != 0 {
		c.goOn(l)
	}
	c.dirty = mine
	c.decide(l)
	c.mend()
	c.commit()
	c.requireAllHere()
}

// push publishes; where others were faster it is left for another time.
func (c *clone) push() bool {
	c.Helper()
	_, code := c.try("git", "push", "-q", "origin", "HEAD:main")
	return code == 0
}

// requireSettled fails if there is anything to resolve.
func (c *clone) requireSettled() {
	c.Helper()
	out := c.run("worldfs", "resolve")
	if !strings.HasPrefix(out, "nothing to resolve") { // what it did last was to go forward
		require.Contains(c, out, "nothing changed")
		require.NotContains(c, out, "next:")
	}
	c.requireClean()
}

// agree has all come to the same world.
func (t *team) agree() {
	t.Helper()
	for _, c := range t.clones {
		c.note("# at last")
		c.pull("--no-rebase")
		require.True(t, c.push())
	}
	first := ""
	for _, c := range t.clones {
		c.pull("--no-rebase")
		c.requireSettled()
		require.Empty(t, c.broken(), c.name)
		require.Len(t, c.known, len(t.known()), "%s knows it all", c.name)
		export := c.run("worldfs", "export")
		if first == "" {
			first = export
		}
		require.Equal(t, first, export, c.name)
	}
}

// known returns every event that any clone knows.
func (t *team) known() set {
	all := set{}
	for _, c := range t.clones {
		all.union(c.known)
	}
	return all
}
