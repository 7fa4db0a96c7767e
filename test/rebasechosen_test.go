package test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What was chosen in a step of a rebase is not told again of the rebase as a whole, also where
// nothing was left of the step.
func TestChosenInAStepOfARebase(t *testing.T) {
	t.Parallel()
	for _, install := range []bool{false, true} {
		t.Run(fmt.Sprintf("install %t", install), func(t *testing.T) {
			b := resolveWorld(t, "plain")
			if install {
				b.run("worldfs", "vcs", "install")
			}
			b.diverge(
				func(b *bench) { b.run("rm", config.entityPath("6001")) },
				func(b *bench) {
					b.set(6005, "position.x = 3")
					b.commit("Ann")
					b.set(6001, "position.x = 9")
				})
			_, code := b.try("git", "rebase", "bob")
			require.NotZero(t, code)
			b.run("worldfs", "resolve", "--take", "shared")
			b.run("git", "rebase", "--skip")
			out := b.run("worldfs", "resolve")
			require.NotContains(t, out, "removed")
			require.NotContains(t, out, "6001")
			b.requireNoMore()
			require.Empty(t, b.run("git", "status", "--porcelain"))
		})
	}
}

// That an entity stays which another has deleted, since one follows it, was chosen in a step.
func TestChosenInAStepOfARebaseWhatIsFollowed(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.diverge(
		func(b *bench) { b.run("rm", config.entityPath("10000")); b.set(6555, "mount_parent_id = 6005") },
		func(b *bench) {
			b.set(6005, "position.x = 3")
			b.commit("Ann")
			b.set(6555, "mount_parent_id = 10000")
			b.commit("Ann")
			b.set(6005, "position.x = 4") // after which git's index does not tell what was resolved
		})
	_, code := b.try("git", "rebase", "bob")
	require.NotZero(t, code)
	require.Contains(t, b.left("--take", "mine", "6555"), "10000")
	b.run("worldfs", "resolve", "--take", "mine")
	b.run("git", "-c", "core.editor=true", "rebase", "--continue")
	out := b.run("worldfs", "resolve")
	require.NotContains(t, out, "stands")
	require.Contains(t, b.run("worldfs", "show", "6555"), "mount_parent_id\n    10000")
	b.run("worldfs", "check")
	b.requireNoMore()
}

// A choice by which all is as it was committed needs no commit.
func TestChosenAsItWasCommitted(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.diverge(
		func(b *bench) { b.set(6555, "mount_parent_id = 6001", "map_size = 9") },
		func(b *bench) { b.run("rm", config.entityPath("6001")); b.set(6555, "map_size = 8") })
	_, code := b.try("git", "merge", "-q", "bob")
	require.NotZero(t, code)
	b.run("git", "checkout", "--theirs", config.entityPath("6555"))
	b.set(6555, "mount_parent_id = 0")
	b.commit("merged")
	out, code := b.try("worldfs", "resolve")
	require.Equal(t, 1, code, out)
	out = b.run("worldfs", "resolve", "--take", "mine")
	require.Empty(t, b.run("git", "status", "--porcelain"), out)
	require.NotContains(t, out, "git commit")
}

// What a person chose of a rebase as a whole is repaired also in files that git stopped at in
// one of its steps, and that were settled there.
func TestARepairOfWhatWasSettledInAStepOfARebase(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]struct {
		id        string
		bob, anns func(b *bench)
		has       string
	}{
		"made twice": {
			"158001",
			func(b *bench) { b.copyOf("158001", "Bob's door"); b.set(158001, "mount_parent_id = 10000") },
			func(b *bench) { b.copyOf("158001", "Ann's door") },
			"Bob's door",
		},
		"both changed it": {
			"6555",
			func(b *bench) { b.set(6555, "mount_parent_id = 10000", "map_size = 8") },
			func(b *bench) { b.set(6555, "map_size = 9") },
			"map_size\n    9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.diverge(steps.bob, func(b *bench) {
				b.run("rm", config.entityPath("10000"))
				b.commit("Ann")
				steps.anns(b)
			})
			_, code := b.try("git", "rebase", "bob")
			require.NotZero(t, code)
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git rebase --continue")
			b.run("git", "-c", "core.editor=true", "rebase", "--continue")
			out := b.left()
			require.Contains(t, out, "10000")
			out = b.run("worldfs", "resolve", "--take", "mine", "10000")
			require.Contains(t, out, "what it followed is deleted")
			door := b.run("worldfs", "show", steps.id)
			require.Contains(t, door, steps.has)
			require.NotContains(t, door, "10000")
			b.run("worldfs", "check")
			b.requireNoMore()
		})
	}
}
