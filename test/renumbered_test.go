package test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// renumberedRanges are ranges by which it is Ann's door that gets another ID.
const renumberedRanges = "158000 159000 Bob #Bob\n160000 161000 Ann #Ann\n"

// behind is Ann's clone: Bob has published a door of an ID of which she has made one, too,
// and has gone on with hers in two commits.
func behind(t *testing.T, ranges string) *bench {
	ann, _ := madeTwice(t, "158001", ranges)
	ann.set(158001, "map_size = 7")
	ann.commit("Ann")
	ann.set(158001, "position.y = 3")
	ann.set(6555, "targets = [158001]")
	ann.commit("Ann")
	return ann
}

// requireDoors fails unless Bob's door is as he made it, and Ann's has all that she did.
func (b *bench) requireDoors(hers ...string) {
	b.Helper()
	bobs := b.run("worldfs", "show", "158001")
	require.Contains(b, bobs, "Bob's door")
	require.Equal(b, b.run("git", "show", "origin/bob:"+config.entityPath("158001")), b.textOf("158001"), "Bob's door is as it was")
	door := b.run("worldfs", "show", b.idOf("Ann's door"))
	for _, want := range hers {
		require.Contains(b, door, want)
	}
	b.run("worldfs", "check")
}

// textOf returns an entity's text, in whatever shard it lies.
func (b *bench) textOf(id string) string {
	b.Helper()
	return b.run("sh", "-c", "cat $(find entities -name "+id+".entity_text)")
}

// rebaseThrough resolves and goes on until git is through.
func (b *bench) rebaseThrough() {
	b.Helper()
	for range 8 {
		if _, err := b.try("git", "rev-parse", "--verify", "-q", "REBASE_HEAD"); err != 0 {
			break
		}
		b.run("worldfs", "resolve")
		b.requireNoMore()
		b.try("git", "-c", "core.editor=true", "rebase", "--continue")
	}
	require.NotContains(b, b.run("git", "status"), "rebase in progress")
	b.run("worldfs", "resolve")
	b.requireNoMore()
}

// Commits that follow know an entity by the ID that it had.
func TestRebaseAfterANewID(t *testing.T) {
	t.Parallel()
	for name, prepare := range inTurn(t, map[string]func(*bench){
		"plain":   func(*bench) {},
		"install": func(b *bench) { b.run("worldfs", "vcs", "install") },
		"mounted": func(b *bench) { b.mount() },
		"cover": func(b *bench) {
			b.run("worldfs", "vcs", "install")
			b.mount("--cover", ".")
		},
		"sharded since": func(b *bench) {
			b.run("worldfs", "shard", "tens")
			b.commit("Ann")
		},
		"sharded since, mounted": func(b *bench) {
			b.run("worldfs", "shard", "tens")
			b.commit("Ann")
			b.mount()
		},
	}) {
		t.Run(name, func(t *testing.T) {
			b := behind(t, renumberedRanges)
			prepare(b)
			b.try("git", "rebase", "origin/bob")
			b.rebaseThrough()
			b.requireDoors("map_size\n    7", "3.0")
			require.Contains(t, b.run("worldfs", "show", "6555"), b.idOf("Ann's door"))
		})
	}
}

// The last commit moves all files from one shard to another. git stops there at the new ID's,
// which it takes to belong with those that it was beside: what resolve has written then is not
// a person's, and has what the commits before did to the entity.
func TestRebaseFromOneShardToAnother(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.write("id_ranges", b.read("id_ranges")+"# people\n"+renumberedRanges)
	b.run("worldfs", "shard", "last-digit")
	b.commit("all")
	door := b.read("entities/5/6555.entity_text")
	for _, person := range []string{"Ann", "Bob"} {
		b.run("git", "checkout", "-q", "-b", strings.ToLower(person), "main")
		b.write("entities/1/158001.entity_text", strings.NewReplacer("\n6555\n", "\n158001\n", "bunker door", person+"'s door").Replace(door))
		b.commit(person)
	}
	b.run("git", "checkout", "-q", "ann")
	b = b.role("Ann")
	b.set(158001, "map_size = 7")
	b.commit("Ann")
	b.set(158001, "position.y = 3")
	b.commit("Ann")
	b.run("worldfs", "shard", "tens")
	b.commit("Ann")
	b.try("git", "rebase", "bob")
	b.rebaseThrough()
	require.Contains(t, b.run("worldfs", "show", "158001"), "Bob's door")
	hers := b.run("worldfs", "show", b.idOf("Ann's door"))
	require.Contains(t, hers, "map_size\n    7")
	require.Contains(t, hers, "3.0")
	require.Contains(t, b.run("worldfs", "show", "158001"), "map_size\n    512")
	b.run("worldfs", "check")
}

// Ann makes another, which takes the ID that hers is to get.
func TestRebaseAfterANewIDThatIsTaken(t *testing.T) {
	b := behind(t, renumberedRanges)
	b.run("git", "branch", "first", "HEAD~2")
	b.run("cp", "-a", ".", "../trial")
	trial := b.cd("../trial")
	trial.run("git", "checkout", "-q", "first")
	trial.try("git", "rebase", "origin/bob")
	trial.run("worldfs", "resolve")
	taken, err := strconv.Atoi(trial.idOf("Ann's door"))
	require.NoError(t, err)

	b.copyOf(strconv.Itoa(taken), "Ann's other")
	b.commit("Ann")
	b.set(taken, "position.x = 11")
	b.set(6005, "mount_parent_id = "+strconv.Itoa(taken))
	b.commit("Ann")
	b.try("git", "rebase", "origin/bob")
	b.rebaseThrough()
	b.requireDoors("map_size\n    7", "3.0")
	other := b.idOf("Ann's other")
	require.Contains(t, b.run("worldfs", "show", other), "11.0")
	require.Contains(t, b.run("worldfs", "show", "6005"), other)
	require.Contains(t, b.run("worldfs", "show", "6555"), b.idOf("Ann's door"))
}

// An entity gets another ID twice; what is older than both is followed to the last.
func TestRebaseAfterTwoNewIDs(t *testing.T) {
	b := behind(t, "158000 159000 Bob #Bob\n")
	b.run("git", "checkout", "-q", "-b", "topic")
	b.set(158001, "position = [46, 9, 8]")
	b.commit("Ann")
	b.run("git", "checkout", "-q", "ann")
	b.try("git", "rebase", "origin/bob")
	b.rebaseThrough()
	b.commit("Ann")
	first := b.idOf("Ann's door")
	b.run("git", "checkout", "-q", "-b", "carl", "origin/bob")
	b.copyOf(first, "Carl's door")
	b.commit("Carl")
	b.run("git", "checkout", "-q", "ann")
	b.try("git", "rebase", "carl")
	b.rebaseThrough()
	b.commit("Ann")
	require.NotEqual(t, first, b.idOf("Ann's door"))
	b.try("git", "cherry-pick", "topic")
	b.run("worldfs", "resolve")
	b.requireNoMore()
	b.requireDoors("map_size\n    7", "9.0")
	require.Equal(t, b.run("git", "show", "carl:"+config.entityPath(first)), b.textOf(first), "Carl's door is as it was")
	require.Contains(t, b.run("worldfs", "show", "6555"), b.idOf("Ann's door"))
}

// idOf returns the ID of the entity of a name.
func (b *bench) idOf(name string) string {
	b.Helper()
	out := strings.Fields(b.run("worldfs", "ls", "--where", fmt.Sprintf("entity_name == %q", name)))
	require.GreaterOrEqual(b, len(out), 2, name)
	return strings.TrimSuffix(filepath.Base(out[0]), ".entity_text")
}

// A stash, a picked commit, a branch that went on: of before the merge in which it happened.
func TestWhatIsOlderThanANewID(t *testing.T) {
	t.Parallel()
	merged := func(b *bench) {
		b.try("git", "merge", "origin/bob")
		b.run("worldfs", "resolve")
		b.run("git", "add", "-A")
		b.run("git", "commit", "-q", "-m", "merged")
	}
	for name, do := range inTurn(t, map[string]func(b *bench){
		"stash": func(b *bench) {
			b.run("worldfs", "vcs", "install") // else git may take it in without a word
			b.set(158001, "position = [46, 9, 8]")
			b.run("git", "stash", "-q")
			merged(b)
			b.try("git", "stash", "pop")
			b.run("worldfs", "resolve")
		},
		"pick": func(b *bench) {
			b.run("git", "checkout", "-q", "-b", "topic")
			b.set(158001, "position = [46, 9, 8]")
			b.commit("Ann")
			b.run("git", "checkout", "-q", "ann")
			merged(b)
			b.try("git", "cherry-pick", "topic")
			b.run("worldfs", "resolve")
		},
		"merge": func(b *bench) {
			b.run("git", "branch", "topic")
			merged(b)
			b.run("git", "checkout", "-q", "topic")
			b.set(158001, "position = [46, 9, 8]")
			b.commit("Ann")
			b.run("git", "checkout", "-q", "ann")
			b.try("git", "merge", "topic")
			b.run("worldfs", "resolve")
		},
		"merge into the branch": func(b *bench) {
			b.run("git", "branch", "topic")
			merged(b)
			b.run("git", "checkout", "-q", "topic")
			b.set(158001, "position = [46, 9, 8]")
			b.commit("Ann")
			b.try("git", "merge", "ann")
			b.run("worldfs", "resolve")
		},
	}) {
		t.Run(name, func(t *testing.T) {
			b := behind(t, renumberedRanges)
			do(b)
			b.requireNoMore()
			b.requireDoors("map_size\n    7", "9.0")
		})
	}
}

// The ID that an entity had is another's since: what both sides do to that one is merged as
// ever, by git's driver or without.
func TestMergesOfAnIDThatWasAnothers(t *testing.T) {
	t.Parallel()
	for _, install := range []bool{false, true} {
		t.Run(fmt.Sprintf("install %t", install), func(t *testing.T) {
			b := behind(t, renumberedRanges)
			if install {
				b.run("worldfs", "vcs", "install")
			}
			b.resolved("origin/bob")
			b.run("git", "checkout", "-q", "-B", "main")
			b.run("git", "branch", "-D", "ann")
			b.diverge(
				func(b *bench) { b.set(158001, "position.x = 31", "targets = [6001]") },
				func(b *bench) { b.set(158001, "map_size = 32", "position.y = 33") })
			b.try("git", "merge", "-q", "-m", "merged", "bob")
			b.run("worldfs", "resolve", "--take", "mine")
			b.requireNoMore()
			door := b.run("worldfs", "show", "158001")
			for _, want := range []string{"Bob's door", "map_size\n    32", "    6001\n"} {
				require.Contains(t, door, want)
			}
			require.NotContains(t, b.textOf("158001"), "<<<<<<<")
		})
	}
}

// The door that is shared gets another ID in the rebase of Ann's, since the first is in her
// range: what Bob does to his later is done to that.
func TestWhatIsSharedGotANewID(t *testing.T) {
	t.Parallel()
	const hers = "158000 159000 Ann #Ann\n160000 161000 Bob #Bob\n"
	for name, bring := range map[string]func(b *bench){
		"rebase": func(b *bench) {
			b.try("git", "rebase", "origin/bob")
			b.rebaseThrough()
			b.run("git", "commit", "-q", "--allow-empty", "-m", "rebased")
		},
		"pull": func(b *bench) {
			b.run("git", "branch", "-u", "origin/bob")
			b.run("worldfs", "pull")
		},
	} {
		for how, take := range inTurn(t, map[string][]string{"merge": {"merge", "-q", "-m", "merged", "origin/bob"}, "pick": {"cherry-pick", "origin/bob"}}) {
			t.Run(name+", "+how, func(t *testing.T) {
				ann, bob := madeTwice(t, "158001", hers)
				ann.set(158001, "map_size = 7")
				ann.commit("Ann")
				bring(ann)
				hers := ann.textOf("158001")
				require.Contains(t, hers, "Ann's door")

				bob.set(158001, "position.y = 3")
				bob.commit("Bob")
				ann.run("git", "fetch", "-q", bob.path("."), "bob:refs/remotes/origin/bob")
				ann.run("worldfs", "vcs", "install") // else git may pick it without a word
				ann.try("git", take...)
				ann.run("worldfs", "resolve")
				ann.requireNoMore()
				require.Equal(t, hers, ann.textOf("158001"), "Ann's door is as it was")
				require.Contains(t, ann.run("worldfs", "show", ann.idOf("Bob's door")), "3.0")
				ann.run("worldfs", "check")
			})
		}
	}
}

// Bob merges Ann's branch, in which her door gets another ID, while she goes on with it: of
// that her clone has nothing but the merge.
func TestAnotherGaveItANewID(t *testing.T) {
	t.Parallel()
	for name, bring := range inTurn(t, map[string]func(b *bench){
		"merge":  func(b *bench) { b.try("git", "merge", "-q", "-m", "merged", "origin/bob"); b.run("worldfs", "resolve") },
		"rebase": func(b *bench) { b.try("git", "rebase", "origin/bob"); b.rebaseThrough() },
		"pull": func(b *bench) {
			b.run("git", "branch", "-u", "origin/bob")
			b.run("worldfs", "pull")
		},
		"install, merge": func(b *bench) {
			b.run("worldfs", "vcs", "install")
			b.try("git", "merge", "-q", "-m", "merged", "origin/bob")
			b.run("worldfs", "resolve")
		},
	}) {
		t.Run(name, func(t *testing.T) {
			ann, bob := madeTwice(t, "158001", renumberedRanges)
			bob.resolved("origin/ann")
			bob.set(158001, "position.x = 5")
			bob.commit("Bob")
			ann.set(158001, "map_size = 7", "position.y = 3")
			ann.commit("Ann")
			ann.set(6555, "targets = [158001]")
			ann.commit("Ann")
			ann.run("git", "fetch", "-q", bob.path("."), "bob:refs/remotes/origin/bob")
			bring(ann)
			ann.requireDoors("map_size\n    7", "3.0")
			require.Contains(t, ann.run("worldfs", "show", "6555"), ann.idOf("Ann's door"))
		})
	}
}

// Bob merges Ann's branch, in which her door gets another ID, and both merge a third, that
// has no such door: it is one of two merge bases.
func TestANewIDBetweenTwoMergeBases(t *testing.T) {
	ann, bob := madeTwice(t, "158001", renumberedRanges)
	ann.run("git", "checkout", "-q", "-b", "third", "HEAD~1")
	ann.set(6005, "position.x = 9")
	ann.commit("Carl")
	ann.run("git", "checkout", "-q", "ann")
	bob.resolved("origin/ann")
	bob.run("git", "pull", "-q", "--no-rebase", ann.path("."), "third")

	ann.run("git", "merge", "-q", "-m", "merged", "third")
	ann.set(158001, "map_size = 7", "position.y = 3")
	ann.set(6555, "targets = [158001]")
	ann.commit("Ann")
	ann.run("git", "fetch", "-q", bob.path("."), "bob:refs/remotes/origin/bob")
	require.Len(t, strings.Fields(ann.run("git", "merge-base", "--all", "HEAD", "origin/bob")), 2)
	ann.try("git", "merge", "-q", "-m", "merged", "origin/bob")
	ann.run("worldfs", "resolve")
	ann.requireNoMore()
	ann.requireDoors("map_size\n    7", "3.0")
	require.Contains(t, ann.run("worldfs", "show", "6555"), ann.idOf("Ann's door"))
	require.Len(t, strings.Split(strings.TrimSpace(ann.run("worldfs", "ls", "--where", `entity_name == "Ann's door"`)), "\n"), 1)
}
