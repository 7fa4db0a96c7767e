package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ann's door gets another ID in the merge with Bob's, and Bob goes on with his in a clone
// that has never had hers. Both had merged a third before, that has neither door: Ann's
// branch follows on that merge base alone, and Bob's door is of the other.
func TestANewIDIsNoMatterOfAnotherMergeBases(t *testing.T) {
	for name, into := range map[string]func(ann, bob *bench) *bench{
		"merge": func(_, bob *bench) *bench {
			bob.run("git", "fetch", "-q", bob.path("../ann"), "ann:refs/remotes/origin/ann")
			bob.try("git", "merge", "-q", "-m", "merged", "origin/ann")
			return bob
		},
		"install, merge": func(_, bob *bench) *bench {
			bob.run("worldfs", "vcs", "install")
			bob.run("git", "fetch", "-q", bob.path("../ann"), "ann:refs/remotes/origin/ann")
			bob.try("git", "merge", "-q", "-m", "merged", "origin/ann")
			return bob
		},
		"merge the other way": func(ann, _ *bench) *bench {
			ann.run("git", "fetch", "-q", ann.path("../bob"), "bob:refs/remotes/origin/bob")
			ann.try("git", "merge", "-q", "-m", "merged", "origin/bob")
			return ann
		},
		"rebase": func(_, bob *bench) *bench {
			bob.run("git", "fetch", "-q", bob.path("../ann"), "ann:refs/remotes/origin/ann")
			bob.try("git", "rebase", "origin/ann")
			bob.rebaseThrough()
			return bob
		},
	} {
		t.Run(name, func(t *testing.T) {
			ann, bob := madeTwice(t, "158001", renumberedRanges)
			ann.run("git", "checkout", "-q", "-b", "third", "HEAD~1")
			ann.set(6001, "position.x = 9")
			ann.commit("Carl")
			ann.run("git", "checkout", "-q", "ann")
			bob.run("git", "pull", "-q", "--no-rebase", ann.path("."), "third")
			ann.run("git", "merge", "-q", "-m", "merged", "third")
			ann.run("git", "checkout", "-q", "-b", "main", "origin/bob")
			ann.set(10000, "position.x = 1")
			ann.commit("Dave")
			ann.run("git", "checkout", "-q", "ann")
			ann.resolved("main")
			hers := ann.idOf("Ann's door")
			require.NotEqual(t, "158001", hers)

			bob.set(158001, "map_size = 7")
			bob.set(6555, "targets = [158001, 6001]")
			bob.set(6005, "mount_parent_id = 158001")
			bob.commit("Bob")
			his := bob.textOf("158001")
			b := into(ann, bob)
			b.run("worldfs", "resolve")
			b.requireNoMore()
			require.Equal(t, his, b.textOf("158001"))
			require.Contains(t, b.run("worldfs", "show", "6555"), "158001")
			require.Contains(t, b.run("worldfs", "show", "6005"), "158001")
			require.Equal(t, hers, b.idOf("Ann's door"))
			b.run("worldfs", "check")
		})
	}
}
