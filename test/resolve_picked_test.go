package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// picked has Ann make an entity and Bob pick her commit, after which each goes on.
func picked(t *testing.T, ann, bob func(b *bench)) *bench {
	b := resolveWorld(t, "plain")
	b.run("git", "branch", "bob")
	b.run("git", "checkout", "-q", "-b", "ann")
	b.copyOf("7000", "new door")
	b.commit("Ann")
	b.run("git", "checkout", "-q", "bob")
	b.set(1002, "position.x = 5")
	b.commit("Bob")
	b.run("git", "cherry-pick", "ann")
	bob(b)
	b.commit("Bob")
	b.run("git", "checkout", "-q", "ann")
	ann(b)
	b.commit("Ann")
	b.try("git", "merge", "-q", "-m", "merged", "bob")
	return b
}

// What a commit made that another branch has picked is one entity, and not two of one ID.
func TestWhatWasPickedIsOneEntity(t *testing.T) {
	t.Parallel()
	t.Run("both changed it", func(t *testing.T) {
		b := picked(t, func(b *bench) { b.set(7000, "map_size = 7") }, func(b *bench) { b.set(7000, "travel = 9") })
		out := b.run("worldfs", "resolve")
		require.Contains(t, out, "next: git commit")
		require.NotContains(t, out, "new ID")
		b.run("git", "commit", "-q", "-m", "merged")
		require.Contains(t, b.run("worldfs", "show", "7000"), "; map_size\n    7\n")
		require.Contains(t, b.run("worldfs", "show", "7000"), "; travel\n    9.0")
		require.Equal(t, 1, strings.Count(b.run("worldfs", "ls"), "new door"))
	})
	t.Run("both set one field", func(t *testing.T) {
		b := picked(t, func(b *bench) { b.set(7000, "map_size = 7") }, func(b *bench) { b.set(7000, "map_size = 9") })
		require.Contains(t, b.left(), `Door 7000 "new door" map_size: yours 7 (Ann, 2001-02-03) / shared 9 (Bob, 2001-02-03)`)
	})
	t.Run("one deleted it", func(t *testing.T) {
		b := picked(t, func(b *bench) { b.run("rm", config.entityPath("7000")) }, func(b *bench) { b.set(1002, "position.y = 6") })
		require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
		b.run("git", "commit", "-q", "-m", "merged")
		require.NotContains(t, b.run("worldfs", "ls"), "new door")
	})
	t.Run("one deleted it, the other changed it", func(t *testing.T) {
		b := picked(t, func(b *bench) { b.run("rm", config.entityPath("7000")) }, func(b *bench) { b.set(7000, "map_size = 9") })
		require.Contains(t, b.left(), `Door 7000 "new door": yours deleted it (Ann, 2001-02-03) / shared changed it (Bob, 2001-02-03)`)
		require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git commit")
		require.NotContains(t, b.run("worldfs", "ls"), "new door")
	})
}

// A picked commit that changes what the branch never had is no deletion of the branch's; one that
// changes what it has deleted is.
func TestAPickOfWhatTheBranchLacks(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.run("git", "branch", "bob")
	b.run("git", "checkout", "-q", "-b", "ann")
	b.copyOf("7000", "new door")
	b.commit("Ann")
	b.set(7000, "map_size = 7")
	b.set(6005, "position.x = 3")
	b.set(1002, "position.x = 3")
	b.commit("Ann")
	b.run("git", "checkout", "-q", "bob")
	b.run("rm", config.entityPath("6005"))
	b.commit("Bob")
	b.try("git", "cherry-pick", "ann")
	out := b.left()
	require.Contains(t, out, `Door 7000 "new door": yours has none / shared changed it (Ann, 2001-02-03)`)
	require.Contains(t, out, `yours deleted it (Bob, 2001-02-03) / shared changed it (Ann, 2001-02-03)`)
	require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git cherry-pick --continue")
	b.run("git", "cherry-pick", "--continue")
	require.Empty(t, b.dirty())
	b.holds(1002, "position.x == 3")
	require.NotContains(t, b.run("worldfs", "ls"), "new door")
	b.run("worldfs", "check")

	b.run("git", "reset", "-q", "--hard", "HEAD~1")
	b.try("git", "cherry-pick", "ann")
	b.run("worldfs", "resolve", "--take", "shared")
	b.run("git", "cherry-pick", "--continue")
	b.holds(7000, "map_size == 7")
	b.holds(6005, "position.x == 3")
	require.Empty(t, b.dirty())
}

// One went on from an edit that the other has, too, as a commit of its own: that is no
// conflict, and where it was taken back it stays so.
func TestAnEditThatWasPickedIsNoConflict(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"changed again": "8", "taken back": "512"} {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.run("git", "branch", "bob")
			b.run("git", "checkout", "-q", "-b", "ann")
			b.set(6555, "map_size = 7")
			b.commit("Ann")
			b.run("git", "checkout", "-q", "bob")
			b.set(1002, "position.x = 5")
			b.commit("Bob")
			b.run("git", "cherry-pick", "ann")
			b.run("git", "checkout", "-q", "ann")
			b.set(6555, "map_size = "+value)
			b.commit("Ann")
			b.try("git", "merge", "-q", "-m", "merged", "bob")
			b.run("worldfs", "resolve")
			require.Contains(t, b.run("worldfs", "show", "6555"), "; map_size\n    "+value+"\n")
			b.requireNoMore()
		})
	}
}

// Another's merge is as that person has settled it, whoever has what in which range here.
func TestAnothersMergeIsLeftAlone(t *testing.T) {
	ann, bob := madeTwice(t, "158001", "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n")
	ann.resolved("origin/bob")
	before := ann.run("worldfs", "export")
	bob.run("git", "pull", "-q", "--ff-only", ann.path("."), "ann")
	require.Contains(t, bob.run("worldfs", "resolve"), "nothing to resolve")
	require.Empty(t, bob.run("git", "status", "--porcelain"))
	require.Equal(t, before, bob.run("worldfs", "export"))
}

// What a hook has changed after a merge is to be committed, as whoever asks later hears.
func TestTheNextCommandIsSaidUntilItIsTyped(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.run("worldfs", "vcs", "install")
	b.diverge(
		func(b *bench) { b.run("rm", config.entityPath("10000")) },
		func(b *bench) { b.set(6555, "targets = [6001, 6005, 10000]") })
	b.run("git", "merge", "-q", "-m", "merged", "bob")
	for range 2 {
		require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
	}
	b.run("git", "commit", "-q", "-m", "settled")
	require.NotContains(t, b.run("worldfs", "resolve"), "next:")
}

// A person takes the base, which refers to what one side has deleted.
func TestTheBaseRefersToWhatIsDeleted(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.set(6005, "mount_parent_id = 6001")
	b.commit("Carol")
	b.diverge(
		func(b *bench) {
			b.set(6005, "mount_parent_id = 10001")
			b.run("rm", config.entityPath("6001"))
		},
		func(b *bench) { b.set(6005, "mount_parent_id = 10000") })
	b.try("git", "merge", "-q", "-m", "merged", "bob")
	require.Contains(t, b.left(), "Lamp 6005")
	b.try("worldfs", "resolve", "--take", "base", "6005")
	b.try("worldfs", "resolve", "--take", "shared")
	require.NotContains(t, b.run("worldfs", "status", "--json"), `"field":"mount_parent_id","message":"it refers to entity 6001`)
}

// A commit that was picked here before, and reverted, is picked again, or a stash taken in
// again: its change is made once more, all of it.
func TestAPickOfWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	for name, again := range inTurn(t, map[string]struct{ first, then []string }{
		"cherry-pick": {[]string{"git cherry-pick bob"}, []string{"git", "cherry-pick", "bob"}},
		"stash": {[]string{"git reset -q --soft HEAD~ && git stash -q", "git stash apply -q && git add -A && git commit -qm again"},
			[]string{"git", "stash", "apply", "-q"}},
	}) {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			bob := func(b *bench) {
				b.set(6555, "map_size = 99")
				b.set(6005, "position.x = 50")
				b.copyOf("7000", "new door")
			}
			b.diverge(bob, func(b *bench) { b.set(1002, "position.x = 5") })
			if name == "stash" {
				b.run("git", "checkout", "-q", "bob")
				b.run("sh", "-c", again.first[0])
				b.run("git", "checkout", "-q", "ann")
			}
			b.run("sh", "-c", again.first[len(again.first)-1])
			b.run("git", "revert", "--no-edit", "HEAD")
			b.set(6005, "position.x = 51")
			b.commit("Ann")
			b.try(again.then[0], again.then[1:]...)
			require.Contains(t, b.left(), "position: yours 5")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git ")
			require.Equal(t, "99", b.valueOf("6555", "map_size"))
			require.Contains(t, b.run("worldfs", "ls"), "new door")
		})
	}
}
