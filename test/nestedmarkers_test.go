package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ann gives a door another ID and edits it, by which Bob makes one while he edits hers: git
// puts the conflict about her door, with longer markers, into that about the two.
func TestResolveConflictsInAConflict(t *testing.T) {
	t.Parallel()
	was, is := config.entityPath("158001"), config.entityPath("158002")
	for name, setup := range inTurn(t, map[string]string{"plain": "", "install": "vcs install", "mounted": "mount"}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.copyOf("158001", "door")
			b.commit("a door")
			b.run("git", "checkout", "-q", "-b", "bob")
			b.set(158001, `entity_name = "Bob's edit"`)
			b.copyOf("158002", "Bob's door")
			b.commit("Bob")
			b.run("git", "checkout", "-q", "-b", "ann", "HEAD~")
			b.run("git", "mv", was, is)
			b.set(158002, `entity_name = "Ann's edit"`)
			b.commit("Ann")
			switch setup {
			case "mount":
				b.mount()
			case "vcs install":
				b.run("worldfs", "vcs", "install")
			}
			b.try("git", "merge", "-q", "bob")
			if setup == "" {
				require.Contains(t, b.read(is), "\n<<<<<<<< ", "git has put no conflict into another")
			}
			out, status := b.try("worldfs", "resolve")
			require.Equal(t, 1, status, out)
			require.Contains(t, out, "158001 \"Bob's edit\"")
			require.NotContains(t, out, "left as", out)
			b.run("worldfs", "resolve", "--take", "shared")
			b.run("git", "add", "-A")
			b.run("git", "commit", "-q", "-m", "merged")
			b.requireOnce("Bob's edit")
			b.requireOnce("Bob's door")
			b.requireOnce("Ann's edit")
			b.run("worldfs", "check")
		})
	}
}

// One side has committed the markers of a conflict, next to which the other edited: git puts one
// into the other, in lines that nobody can read, of sides that are in no conflict. The file is
// written anew from both where its entity is named, as resolve says.
func TestAFileIsWrittenAnewWhereTheSidesAreInNoConflict(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.diverge(func(b *bench) { b.set(6005, "radius = 10") }, func(b *bench) { b.set(6005, "radius = 11") })
	b.try("git", "merge", "-q", "bob")
	b.left()
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-n", "-m", "marked")
	b.run("git", "checkout", "-q", "bob")
	b.set(6005, "intensity = 8")
	b.commit("Bob")
	_, code := b.try("git", "merge", "-q", "ann")
	require.Equal(t, 1, code)
	for _, call := range [][]string{nil, {"--take", "mine"}} { // which is about conflicts, and there is none
		out := b.left(call...)
		require.Contains(t, out, "left as it is: "+config.entityPath("6005"))
		require.Contains(t, out, "worldfs resolve --take mine|shared|base ID write it anew")
	}
	out := b.run("worldfs", "resolve", "--take", "mine", "6005")
	require.Contains(t, out, "next: git commit")
	b.holds(6005, "intensity == 8")
	require.Contains(t, b.read(config.entityPath("6005")), "=======", "what was committed is not settled by that")
}
