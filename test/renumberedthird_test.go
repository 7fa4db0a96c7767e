package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ann's door gets another ID in the merge with Bob's, and Bob goes on with his in a clone
// that has never had hers. Both had merged a third before, that has neither door: Ann's
// branch follows on that merge base alone, and Bob's door is of the other.
func TestANewIDIsNoMatterOfAnotherMergeBases(t *testing.T) {
	t.Parallel()
	for name, into := range inTurn(t, map[string]func(ann, bob *bench) *bench{
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
	}) {
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

// Three make a door of one ID. Two merge the third's branch, and give her door the same new
// ID, and each their own keeps the first: that is two doors once more where they meet.
func TestANewIDOfTheSameInTwoMerges(t *testing.T) {
	ann, bob := madeTwice(t, "158001", "158000 159000 Bob Carl #Bob and Carl\n160000 161000 Ann #Ann\n")
	carl := ann.cd("../carl").role("Carl")
	ann.run("git", "clone", "-q", ".", "../carl")
	carl.run("git", "checkout", "-q", "-b", "carl", "HEAD~1")
	carl.copyOf("158001", "Carl's door")
	carl.commit("Carl")
	carl.resolved("origin/ann")
	bob.resolved("origin/ann")

	hers := bob.idOf("Ann's door")
	require.Equal(t, hers, carl.idOf("Ann's door"), "the content says which")
	bob.run("worldfs", "set", "--where", `entity_name == "Ann's door"`, "map_size = 7")
	bob.run("worldfs", "set", "--where", `entity_name == "Bob's door"`, "map_size = 8")
	bob.commit("Bob")
	carl.run("worldfs", "set", "--where", `entity_name == "Carl's door"`, "map_size = 9")
	carl.run("worldfs", "set", "--where", `id == 6555`, "targets = ["+carl.idOf("Carl's door")+"]")
	carl.run("worldfs", "set", "--where", `id == 6005`, "mount_parent_id = "+carl.idOf("Ann's door"))
	carl.commit("Carl")
	carl.run("git", "fetch", "-q", carl.path("../bob"), "bob:refs/remotes/origin/bob")
	carl.try("git", "merge", "-q", "-m", "merged", "origin/bob")
	carl.run("worldfs", "resolve")
	carl.requireNoMore()
	for name, size := range map[string]string{"Ann's door": "7", "Bob's door": "8", "Carl's door": "9"} {
		found := carl.run("worldfs", "ls", "--where", `entity_name == "`+name+`"`)
		require.Len(t, strings.Split(strings.TrimSpace(found), "\n"), 1, name)
		require.Contains(t, carl.run("worldfs", "show", carl.idOf(name)), "map_size\n    "+size+"\n", name)
	}
	require.Contains(t, carl.run("worldfs", "show", "6555"), carl.idOf("Carl's door"))
	require.Contains(t, carl.run("worldfs", "show", "6005"), carl.idOf("Ann's door"))
	carl.run("worldfs", "check")
}

// Two doors of Ann's get other IDs in two merges of Bob's, one after the other: what she does
// to the second later is not held back by the first.
func TestNewIDsInOneMergeAfterAnother(t *testing.T) {
	ann, bob := madeTwice(t, "158001", "158000 159000 Bob Carl #Bob and Carl\n160000 161000 Ann #Ann\n")
	carl := ann.cd("../carl").role("Carl")
	ann.run("git", "clone", "-q", ".", "../carl")
	carl.run("git", "checkout", "-q", "-b", "carl", "HEAD~1")
	carl.copyOf("158002", "Carl's door")
	carl.commit("Carl")
	ann.copyOf("158002", "Ann's other")
	ann.commit("Ann")
	bob.run("git", "fetch", "-q", ann.path("."), "ann:anns")
	bob.resolved("anns") // the first door gets another ID, and then the second
	bob.run("git", "fetch", "-q", carl.path("."), "carl:carls")
	bob.resolved("carls")
	require.NotEqual(t, "158001", bob.idOf("Ann's door"))
	require.NotEqual(t, "158002", bob.idOf("Ann's other"))

	ann.set(158001, "map_size = 7")
	ann.set(158002, "map_size = 8")
	ann.commit("Ann")
	ann.run("git", "fetch", "-q", bob.path("."), "bob:refs/remotes/origin/bob")
	ann.try("git", "merge", "-q", "-m", "merged", "origin/bob")
	ann.run("worldfs", "resolve")
	ann.requireNoMore()
	for name, size := range map[string]string{"Ann's door": "7", "Ann's other": "8"} {
		ann.requireOnce(name)
		require.Contains(t, ann.run("worldfs", "show", ann.idOf(name)), "map_size\n    "+size+"\n", name)
	}
	require.Equal(t, "158001", ann.idOf("Bob's door"))
	require.Equal(t, "158002", ann.idOf("Carl's door"))
	ann.run("worldfs", "check")
}

// Two doors of one ID meet in two merges, and in each it is the other that gets another: where
// those meet, each door is one.
func TestNewIDsOfEitherInTwoMerges(t *testing.T) {
	ann, bob := madeTwice(t, "158001", "")
	for b, remote := range map[*bench]string{ann: "bob", bob: "ann"} { // so that their own is what others have
		b.run("git", "branch", "theirs", "origin/"+remote)
		b.run("git", "update-ref", "-d", "refs/remotes/origin/"+remote)
		b.run("git", "commit", "-q", "--allow-empty", "-m", "own")
		b.run("git", "update-ref", "refs/remotes/origin/main", "HEAD")
		b.resolved("theirs")
	}
	require.Equal(t, "158001", ann.idOf("Ann's door"))
	require.Equal(t, "158001", bob.idOf("Bob's door"))
	ann.run("worldfs", "set", "--where", `entity_name == "Ann's door"`, "map_size = 7")
	ann.run("worldfs", "set", "--where", `entity_name == "Bob's door"`, "map_size = 8")
	ann.set(6555, "targets = ["+ann.idOf("Bob's door")+"]")
	ann.commit("Ann")
	bob.run("worldfs", "set", "--where", `entity_name == "Ann's door"`, "position.y = 3")
	bob.run("worldfs", "set", "--where", `entity_name == "Bob's door"`, "position.y = 4")
	bob.set(6005, "mount_parent_id = "+bob.idOf("Ann's door"))
	bob.commit("Bob")

	ann.run("git", "fetch", "-q", bob.path("."), "bob:bobs")
	ann.try("git", "merge", "-q", "-m", "merged", "bobs")
	ann.run("worldfs", "resolve")
	ann.requireNoMore()
	for name, has := range map[string][2]string{"Ann's door": {"7", "3"}, "Bob's door": {"8", "4"}} {
		ann.requireOnce(name)
		door := ann.run("worldfs", "show", ann.idOf(name))
		require.Contains(t, door, "map_size\n    "+has[0]+"\n", name)
		require.Contains(t, door, "    "+has[1]+".000000 : ", name)
	}
	require.Contains(t, ann.run("worldfs", "show", "6555"), ann.idOf("Bob's door"))
	require.Contains(t, ann.run("worldfs", "show", "6005"), ann.idOf("Ann's door"))
	ann.run("worldfs", "check")
}

// Ann and Bob each merge the other's work, alike, and it changes refs in what keeps its ID:
// git has that come of both. Where the two merges meet, no door moves once more.
func TestTheSameMergeTwice(t *testing.T) {
	ann, bob := madeTwice(t, "158001", "158000 158002 Bob #Bob\n158002 159000 Ann #Ann\n160000 161000 Ann Bob #both\n")
	for b, name := range map[*bench]string{ann: "Ann", bob: "Bob"} {
		b.copyOf("158002", name+"'s other")
		b.set(158001, "targets = [158002]")
		b.set(158002, "targets = [158001]")
		b.commit(name)
	}
	ann.run("git", "fetch", "-q", bob.path("."), "bob:bobs")
	bob.run("git", "fetch", "-q", ann.path("."), "ann:anns")
	ann.resolved("bobs")
	bob.resolved("anns")
	names := []string{"Ann's door", "Bob's door", "Ann's other", "Bob's other"}
	ids := make(map[string]string)
	for i, name := range names {
		ids[name] = ann.idOf(name)
		require.Equal(t, ids[name], bob.idOf(name))
		where := fmt.Sprintf("entity_name == %q", name)
		ann.run("worldfs", "set", "--where", where, fmt.Sprint("map_size = ", 7+i))
		bob.run("worldfs", "set", "--where", where, fmt.Sprint("position.y = ", 7+i))
	}
	ann.commit("Ann")
	bob.commit("Bob")
	ann.run("git", "fetch", "-q", bob.path("."), "bob:his")
	ann.try("git", "merge", "-q", "-m", "merged", "his")
	ann.run("worldfs", "resolve")
	ann.requireNoMore()
	for i, name := range names {
		ann.requireOnce(name)
		require.Equal(t, ids[name], ann.idOf(name))
		door := ann.run("worldfs", "show", ids[name])
		require.Contains(t, door, fmt.Sprintf("map_size\n    %d\n", 7+i))
		require.Contains(t, door, fmt.Sprintf("    %d.000000 : ", 7+i))
	}
	ann.run("worldfs", "check")
}
