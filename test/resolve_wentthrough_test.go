package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pickedThrough has Bob pick what Ann did, in which git sees no conflict.
func pickedThrough(t *testing.T, place string, bob, ann func(b *bench), pick ...string) *bench {
	t.Helper()
	b := resolveWorld(t, place).today()
	b.diverge(bob, ann)
	b.run("git", "checkout", "-q", "bob")
	b.run("worldfs", "sync")
	b.run("git", append([]string{"cherry-pick"}, pick...)...)
	return b
}

// A cherry-pick that git goes through with is merged as a world all the same: git notes
// nothing of it but a line in the reflog.
func TestACherryPickThatGitGoesThroughWith(t *testing.T) {
	t.Parallel()
	refersToALamp := func(b *bench) { b.set(6006, "mount_parent_id = 6005") }
	givesItAnID := func(b *bench) { b.run("worldfs", "mv", "6005", "6800") }
	for _, place := range someOf(t, []string{"plain", "mounted", "cover", "below", "linked"}) {
		t.Run("of an ID that a commit gave, "+place, func(t *testing.T) {
			b := pickedThrough(t, place, refersToALamp, givesItAnID, "ann")
			out := b.run("worldfs", "resolve")
			require.Contains(t, out, "next: git commit")
			b.holds(6006, "mount_parent_id == 6800")
			b.run("worldfs", "check")
			b.run("git", "commit", "-q", "-a", "-m", "mended")
			require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
			require.Empty(t, b.dirty())
		})
	}
	t.Run("of many", func(t *testing.T) {
		b := pickedThrough(t, "plain", refersToALamp, func(b *bench) {
			b.set(1002, "position.x = 5")
			b.commit("Ann")
			givesItAnID(b)
			b.commit("Ann")
			b.set(1002, "position.y = 6")
		}, "ann~3..ann")
		require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
		b.holds(6006, "mount_parent_id == 6800")
		b.run("worldfs", "check")
	})
	t.Run("of a branch that is gone, with its name", func(t *testing.T) {
		b := resolveWorld(t, "plain").today()
		b.diverge(refersToALamp, givesItAnID)
		b.run("git", "checkout", "-q", "bob")
		b.run("git", "cherry-pick", "-x", "ann")
		b.run("git", "branch", "-q", "-D", "ann")
		require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
		b.holds(6006, "mount_parent_id == 6800")
	})
	t.Run("whose vector git has mixed", func(t *testing.T) {
		b := pickedThrough(t, "plain",
			func(b *bench) { b.set(6555, "position.x = 7", "map_size = 3") },
			func(b *bench) { b.set(6555, "position.z = 9", "travel = 3") }, "ann")
		out, code := b.try("worldfs", "resolve")
		require.Equal(t, 1, code, out)
		require.Contains(t, out, `Door 6555 "bunker door" position: yours 7, 108.07968, 8.694907 (bob`)
		require.Contains(t, out, "/ shared 46.10353, 108.07968, 9 (ann")
		require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git commit")
		b.holds(6555, "position.x == 7 && position.z < 9 && map_size == 3 && travel == 3")
		require.Contains(t, b.run("worldfs", "resolve"), "nothing changed; next: git commit")
		b.holds(6555, "position.x == 7 && position.z < 9 && map_size == 3 && travel == 3")
	})
	t.Run("with an edit since", func(t *testing.T) {
		b := pickedThrough(t, "plain", refersToALamp, givesItAnID, "ann")
		b.set(6006, "timer_seconds = 77")
		b.set(1002, "position.x = 5")
		b.run("worldfs", "resolve")
		b.holds(6006, "mount_parent_id == 6800 && timer_seconds == 77")
		b.holds(1002, "position.x == 5")
		b.run("worldfs", "check")
	})
	t.Run("after which more was committed", func(t *testing.T) {
		b := pickedThrough(t, "plain", refersToALamp, givesItAnID, "ann")
		b.set(1002, "position.x = 5")
		b.commit("Bob")
		require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
		out, code := b.try("worldfs", "check")
		require.Equal(t, 1, code, out)
		require.Contains(t, out, "field mount_parent_id: it refers to entity 6005, which there is not")
	})
	t.Run("of its own branch's commit, with which nothing else meets", func(t *testing.T) {
		b := pickedThrough(t, "plain", refersToALamp, func(b *bench) { b.set(1002, "position.x = 5") }, "ann")
		require.Contains(t, b.run("worldfs", "resolve"), "nothing changed")
		require.Empty(t, b.dirty())
	})
}

// Of a revert that git goes through with, the same: what refers since to what the commit
// brought would refer to nothing.
func TestARevertThatGitGoesThroughWith(t *testing.T) {
	b := resolveWorld(t, "plain").today()
	b.copyOf("7000", "new door")
	b.commit("Ann")
	b.set(1002, "position.x = 5")
	b.commit("Ann")
	b.set(6006, "mount_parent_id = 7000")
	b.commit("Bob")
	b.run("git", "revert", "--no-edit", "HEAD~3..HEAD~1")
	require.Equal(t, 2, strings.Count(b.run("git", "log", "-3", "--format=%s"), "Revert"))
	out, code := b.try("worldfs", "resolve")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, `Door 7000 "new door": yours changed it`)
	require.Contains(t, out, "/ shared deleted it")
	require.Contains(t, b.run("worldfs", "resolve", "--take", "mine", "7000"), "next: git commit")
	b.holds(6006, "mount_parent_id == 7000")
	b.run("worldfs", "check")
	require.NotContains(t, b.run("worldfs", "ls", "--where", "id == 1002 && position.x == 5"), "1002")
}

// poppedThrough has a person stash edits, and take them in again onto what another has committed,
// in which git sees no conflict.
func poppedThrough(t *testing.T, place string, theirs, mine func(b *bench), pop ...string) *bench {
	t.Helper()
	b := resolveWorld(t, place).today()
	mine(b)
	b.run("worldfs", "sync")
	b.run("git", "add", "-A")
	b.run("git", "stash", "-q")
	theirs(b)
	b.commit("Bob")
	b.run("git", append([]string{"stash"}, pop...)...)
	return b
}

// A stash that git takes in without a conflict is merged as a world, too, though nothing is left
// of it but the files.
func TestAStashThatGitTakesIn(t *testing.T) {
	t.Parallel()
	refersToALamp := func(b *bench) { b.set(6006, "mount_parent_id = 6005") }
	givesItAnID := func(b *bench) { b.run("worldfs", "mv", "6005", "6800") }
	for _, place := range someOf(t, []string{"plain", "mounted", "cover", "below", "linked"}) {
		for _, pop := range someOf(t, []string{"pop", "apply"}, place) {
			t.Run(pop+", "+place, func(t *testing.T) {
				b := poppedThrough(t, place, refersToALamp, givesItAnID, pop)
				out := b.run("worldfs", "resolve")
				require.Contains(t, out, "nothing is left to finish: the edits of the stash are here, not committed")
				b.holds(6006, "mount_parent_id == 6800")
				b.run("worldfs", "check")
				require.Contains(t, b.run("worldfs", "resolve"), "stash: nothing changed")
				b.commit("Ann")
				require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
				require.Empty(t, b.dirty())
			})
		}
	}
	mixes := [2]func(b *bench){
		func(b *bench) { b.set(6555, "position.x = 7", "map_size = 3") },
		func(b *bench) { b.set(6555, "position.z = 9", "travel = 3") },
	}
	t.Run("whose vector git has mixed", func(t *testing.T) {
		b := poppedThrough(t, "plain", mixes[0], mixes[1], "pop")
		out, code := b.try("worldfs", "resolve")
		require.Equal(t, 1, code, out)
		require.Contains(t, out, `Door 6555 "bunker door" position: yours 46.10353, 108.07968, 9 (`)
		require.Contains(t, out, "/ shared 7, 108.07968, 8.694907 (Bob")
		require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "nothing is left to finish")
		for range 2 {
			b.holds(6555, "position.x == 7 && position.z < 9 && map_size == 3 && travel == 3")
			require.Contains(t, b.run("worldfs", "resolve"), "nothing changed")
		}
		require.Contains(t, b.run("worldfs", "resolve", "--take", "mine", "6555"), "1 file written")
		b.holds(6555, "position.x != 7 && position.z == 9 && map_size == 3 && travel == 3")
	})
	t.Run("edited since", func(t *testing.T) {
		b := poppedThrough(t, "plain", refersToALamp, givesItAnID, "pop")
		b.set(1002, "position.x = 5")
		b.set(6006, "timer_seconds = 77")
		b.run("worldfs", "resolve")
		b.holds(6006, "mount_parent_id == 6800 && timer_seconds == 77")
		b.holds(1002, "position.x == 5")
	})
	t.Run("thrown away since", func(t *testing.T) {
		b := poppedThrough(t, "plain", mixes[0], mixes[1], "pop")
		_, code := b.try("worldfs", "resolve")
		require.Equal(t, 1, code)
		b.run("git", "checkout", "-q", "-f", "HEAD")
		b.run("worldfs", "resolve")
		b.holds(6555, "position.x == 7 && position.z < 9 && map_size == 3 && travel != 3")
		require.Empty(t, b.dirty())
	})
	t.Run("dropped long before", func(t *testing.T) {
		b := resolveWorld(t, "plain").today()
		mixes[1](b)
		b.run("git", "add", "-A")
		b.run("git", "stash", "-q")
		b.run("git", "stash", "drop", "-q")
		mixes[0](b)
		b.commit("Bob")
		b.set(1002, "position.x = 5")
		require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
		b.holds(6555, "position.x == 7 && position.z < 9 && map_size == 3 && travel != 3")
	})
	t.Run("onto what it was made on", func(t *testing.T) {
		b := resolveWorld(t, "plain").today()
		givesItAnID(b)
		b.run("git", "add", "-A")
		b.run("git", "stash", "-q")
		b.run("git", "stash", "pop")
		require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
	})
}
