package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// requireOnce fails unless there is one entity of a name.
func (b *bench) requireOnce(name string) {
	b.Helper()
	b.idOf(name)
	require.Equal(b, 1, b.countOf(name), b.run("worldfs", "ls", "--where", "entity_name == \""+name+"\""))
}

func (b *bench) countOf(name string) (n int) {
	b.Helper()
	for _, c := range b.run("worldfs", "ls", "--where", "entity_name == \""+name+"\"") {
		if c == '\n' {
			n++
		}
	}
	return n
}

// Carl has merged Ann's branch when she rebases it; her door gets an ID in the rebase, and
// another where Carl merges what it was rebased on. It is one door when the two meet.
func TestRebasedAfterAnotherHadMergedIt(t *testing.T) {
	t.Parallel()
	for name, meet := range inTurn(t, map[string]func(carl, ann *bench) *bench{
		"Carl merges": func(carl, ann *bench) *bench {
			carl.run("git", "fetch", "-q", ann.path("."), "ann:rebased")
			carl.try("git", "merge", "-q", "-m", "merged", "rebased")
			return carl
		},
		"Ann merges": func(carl, ann *bench) *bench {
			ann.run("git", "fetch", "-q", carl.path("."), "carl:carls")
			ann.try("git", "merge", "-q", "-m", "merged", "carls")
			return ann
		},
		"Ann merges, install": func(carl, ann *bench) *bench {
			ann.run("worldfs", "vcs", "install")
			ann.run("git", "fetch", "-q", carl.path("."), "carl:carls")
			ann.try("git", "merge", "-q", "-m", "merged", "carls")
			return ann
		},
	}) {
		t.Run(name, func(t *testing.T) {
			ann, _ := madeTwice(t, "158001", renumberedRanges)
			ann.set(158001, "map_size = 7")
			ann.set(6555, "targets = [158001]")
			ann.commit("Ann")
			carl := ann.clonedBy("Carl")
			carl.set(6001, "position.x = 4")
			carl.commit("Carl")
			ann.try("git", "rebase", "origin/bob")
			ann.rebaseThrough()
			ann.run("git", "commit", "-q", "--allow-empty", "-m", "rebased")
			hers := ann.idOf("Ann's door")
			carl.copyOf(hers, "Carl's door") // so that hers gets another ID
			carl.commit("Carl")
			carl.run("git", "fetch", "-q", ann.path("."), "origin/bob:bob")
			carl.resolved("bob")
			require.NotEqual(t, hers, carl.idOf("Ann's door"))
			carl.set(6001, "position.y = 4")
			carl.run("worldfs", "set", "--where", `entity_name == "Ann's door"`, "position.z = 3")
			carl.commit("Carl")
			ann.run("worldfs", "set", "--where", `entity_name == "Ann's door"`, "targets = [6001]")
			ann.commit("Ann")

			b := meet(carl, ann)
			b.run("worldfs", "resolve")
			b.requireNoMore()
			b.run("git", "add", "-A")
			b.run("git", "commit", "-q", "--allow-empty", "-m", "merged")
			for _, name := range []string{"Ann's door", "Bob's door", "Carl's door"} {
				b.requireOnce(name)
			}
			door := b.run("worldfs", "show", b.idOf("Ann's door"))
			for _, want := range []string{"map_size\n    7", "    3.000000 : 40400000\n"} {
				require.Contains(t, door, want)
			}
			require.Contains(t, door, "; targets\n    [\n    6001\n    ]\n", "6005 was taken away")
			require.Contains(t, b.run("worldfs", "show", "6555"), b.idOf("Ann's door"))
			b.run("worldfs", "check")
			b.requireNoMore()
		})
	}
}

// clonedBy returns a clone of what the bench has, on a branch of the person's.
func (b *bench) clonedBy(person string) *bench {
	b.Helper()
	b.run("git", "clone", "-q", ".", "../"+person)
	c := b.cd("../" + person).role(person)
	c.run("git", "checkout", "-q", "-b", "carl")
	return c
}

// Carl has picked the commit in which Ann made a door; each gives it another ID in a merge.
func TestPickedAndRenumberedOnBothSides(t *testing.T) {
	ann, _ := madeTwice(t, "158001", renumberedRanges)
	ann.run("git", "checkout", "-q", "-b", "pick", "HEAD~1")
	ann.set(6001, "position.x = 4")
	ann.commit("Carl")
	ann.run("git", "cherry-pick", "ann")
	carl := ann.clonedBy("Carl")
	ann.run("git", "checkout", "-q", "ann")
	ann.set(158001, "map_size = 7")
	ann.commit("Ann")
	ann.resolved("origin/bob")
	hers := ann.idOf("Ann's door")
	carl.copyOf(hers, "Carl's door")
	carl.commit("Carl")
	carl.run("git", "fetch", "-q", ann.path("."), "origin/bob:bob", "ann:anns")
	carl.resolved("bob")
	require.NotEqual(t, hers, carl.idOf("Ann's door"))

	carl.try("git", "merge", "-q", "-m", "merged", "anns")
	carl.run("worldfs", "resolve")
	carl.requireNoMore()
	for _, name := range []string{"Ann's door", "Bob's door", "Carl's door"} {
		carl.requireOnce(name)
	}
	require.Contains(t, carl.run("worldfs", "show", carl.idOf("Ann's door")), "map_size\n    7")
}

// Carl has Ann's door by the commit that she rebased since. As she rebased it, it gets another
// ID in a merge of Bob's: what Carl does to it later is done to that.
func TestRenumberedAsItWasRebased(t *testing.T) {
	ann, bob := madeTwice(t, "158001", renumberedRanges)
	carl := ann.clonedBy("Carl")
	ann.run("git", "checkout", "-q", "-b", "third", "HEAD~1")
	ann.set(6001, "position.x = 4")
	ann.commit("Dave")
	ann.run("git", "rebase", "-q", "third", "ann")
	bob.run("git", "fetch", "-q", ann.path("."), "ann:anns")
	bob.resolved("anns")
	hers := bob.idOf("Ann's door")
	require.NotEqual(t, "158001", hers)

	carl.set(158001, "map_size = 7")
	carl.commit("Carl")
	carl.run("git", "fetch", "-q", bob.path("."), "bob:bobs")
	carl.try("git", "merge", "-q", "-m", "merged", "bobs")
	carl.run("worldfs", "resolve")
	carl.requireNoMore()
	carl.requireOnce("Ann's door")
	require.Equal(t, hers, carl.idOf("Ann's door"))
	require.Contains(t, carl.run("worldfs", "show", hers), "map_size\n    7")
	require.Equal(t, "158001", carl.idOf("Bob's door"))
	carl.run("worldfs", "check")
}

// Ann's door has the same ID on both sides at first, since her commit was rebased after Carl had
// merged it, and gets another on each, in merges with two doors of Bob's.
func TestRebasedAndThenRenumberedOnBothSides(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(carl, ann *bench) *bench{
		"Carl merges": func(carl, ann *bench) *bench {
			carl.run("git", "fetch", "-q", ann.path("."), "ann:rebased")
			carl.try("git", "merge", "-q", "-m", "merged", "rebased")
			return carl
		},
		"Ann merges": func(carl, ann *bench) *bench {
			ann.run("git", "fetch", "-q", carl.path("."), "carl:carls")
			ann.try("git", "merge", "-q", "-m", "merged", "carls")
			return ann
		},
	} {
		t.Run(name, func(t *testing.T) {
			ann, _ := madeTwice(t, "158001", renumberedRanges)
			ann.run("git", "checkout", "-q", "-b", "others", "HEAD~1")
			ann.copyOf("158001", "Bob's other door")
			ann.commit("Bob")
			ann.run("git", "checkout", "-q", "ann")
			carl := ann.clonedBy("Carl")
			ann.run("git", "checkout", "-q", "-b", "third", "HEAD~1")
			ann.set(6001, "position.x = 4")
			ann.commit("Dan")
			ann.run("git", "rebase", "-q", "third", "ann")
			ann.resolved("origin/bob")
			hers := ann.idOf("Ann's door")
			carl.copyOf(hers, "Carl's door") // so that hers gets another ID
			carl.commit("Carl")
			carl.resolved("origin/others")
			require.NotEqual(t, hers, carl.idOf("Ann's door"))
			carl.run("worldfs", "set", "--where", `entity_name == "Ann's door"`, "position.z = 3")
			carl.commit("Carl")
			ann.run("worldfs", "set", "--where", `entity_name == "Ann's door"`, "map_size = 7")
			ann.commit("Ann")

			b := meet(carl, ann)
			b.run("worldfs", "resolve")
			b.requireNoMore()
			for _, name := range []string{"Ann's door", "Bob's door", "Bob's other door", "Carl's door"} {
				b.requireOnce(name)
			}
			door := b.run("worldfs", "show", b.idOf("Ann's door"))
			require.Contains(t, door, "map_size\n    7")
			require.Contains(t, door, "    3.000000 : 40400000\n")
			b.run("worldfs", "check")
		})
	}
}

// Ann's door has the same ID on both sides, as two commits, and Bob's got another in a merge on
// one of them: what both had alike is Ann's.
func TestAnothersNewIDIsNotThatOfWhatBothHaveAlike(t *testing.T) {
	ann, _ := madeTwice(t, "158001", "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n")
	carl := ann.clonedBy("Carl")
	ann.run("git", "checkout", "-q", "-b", "third", "HEAD~1")
	ann.set(6001, "position.x = 4")
	ann.commit("Dan")
	ann.run("git", "rebase", "-q", "third", "ann")
	ann.resolved("origin/bob")
	require.Equal(t, "158001", ann.idOf("Ann's door"))
	ann.set(158001, "map_size = 7")
	ann.commit("Ann")
	carl.set(158001, "position.z = 3")
	carl.commit("Carl")
	carl.run("git", "fetch", "-q", ann.path("."), "ann:rebased")

	carl.try("git", "merge", "-q", "-m", "merged", "rebased")
	carl.run("worldfs", "resolve")
	carl.requireNoMore()
	for _, name := range []string{"Ann's door", "Bob's door"} {
		carl.requireOnce(name)
	}
	door := carl.run("worldfs", "show", "158001")
	for _, want := range []string{"Ann's door", "map_size\n    7", "    3.000000 : 40400000\n"} {
		require.Contains(t, door, want)
	}
	carl.run("worldfs", "check")
}
