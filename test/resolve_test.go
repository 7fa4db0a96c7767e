package test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// resolveWorld is a world of 300 entities in git, of which Ann and Bob make branches.
// place says where resolve runs. The door that they move carries nothing.
func resolveWorld(t *testing.T, place string) *bench {
	return resolveWorldOf(t, place, 300, (*bench).takeDown)
}

// takeDown has the panel be mounted on no door: it stays where it is when the door is moved.
func (b *bench) takeDown() { b.run("worldfs", "set", "--where", "id == 6006", "mount_parent_id = 0") }

// resolveWorldOf is resolveWorld with so many entities, and with a door that carries a panel
// unless it is prepared otherwise.
func resolveWorldOf(t *testing.T, place string, entities int, prepare ...func(*bench)) *bench {
	if config["plain"] == "false" {
		t.Skip("git has no entities while the world is not mounted")
	}
	t.Parallel() // it waits for git and the disk, mostly
	return gitWorld(t, place, entities, prepare...)
}

// gitWorld is a world in git, of so many entities, prepared before the first commit.
func gitWorld(t *testing.T, place string, entities int, prepare ...func(*bench)) *bench {
	b := newBench(t, "git")
	b.run("git", "init", "-q", "w")
	b = b.cd("w")
	world := "."
	if place == "below" {
		world = "game/island"
	}
	b.run("worldfs", "demo", "--entities", fmt.Sprint(entities), world)
	b = b.cd(world)
	for _, do := range prepare {
		do(b)
	}
	b.run("worldfs", "unpack")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "all")
	switch place {
	case "mounted":
		b.mount()
	case "cover":
		b.mount("--cover", ".")
	case "linked":
		b.run("git", "worktree", "add", "-q", "-b", "linked", "../linked")
		b = b.cd("../linked")
	}
	return b
}

// as runs git as a person.
func (b *bench) as(person string) *bench {
	other := *b
	other.env = append(append([]string{}, b.env...), "GIT_AUTHOR_NAME="+person, "GIT_COMMITTER_NAME="+person)
	return &other
}

// set changes fields of an entity.
func (b *bench) set(id int, assignments ...string) {
	b.Helper()
	b.run("worldfs", append([]string{"set", "--where", fmt.Sprint("id == ", id)}, assignments...)...)
}

// commit commits everything as a person.
func (b *bench) commit(person string) {
	b.Helper()
	b.run("worldfs", "sync")
	b.run("git", "add", "-A")
	b.as(person).run("git", "commit", "-q", "-m", person)
}

// commitIndex commits what was added.
func (b *bench) commitIndex(message string) {
	b.Helper()
	b.run("git", "commit", "-q", "-m", message)
}

// differ has Ann change main and Bob the branch bob, so that git cannot merge them: a
// position, a deletion against a change, a ref to what is deleted.
func (b *bench) differ() {
	b.Helper()
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	b.run("git", "checkout", "-q", "-b", "bob")
	b.set(6555, "position = [50, 108.1, 8.7]", `entity_name = "bunker gate"`)
	b.set(1002, "position.x = position.x + 1")
	b.run("rm", config.entityPath("6001"))
	b.commit("Bob")
	b.run("git", "checkout", "-q", "-b", "ann", base)
	b.set(6555, "position.y = 109", "targets = [6001, 6005, 1002]")
	b.set(6001, "position.x = position.x + 1")
	b.commit("Ann")
}

// left returns what resolve prints where conflicts are left.
func (b *bench) left(args ...string) string {
	b.Helper()
	out, code := b.try("worldfs", append([]string{"resolve"}, args...)...)
	require.Equal(b, 1, code, out)
	return out
}

// requireNoMore has resolve change nothing more.
func (b *bench) requireNoMore() {
	b.Helper()
	status := b.run("git", "status", "--porcelain")
	out, code := b.try("worldfs", "resolve")
	require.LessOrEqual(b, code, 1, out)
	require.Contains(b, out, "nothing changed")
	require.Equal(b, status, b.run("git", "status", "--porcelain"))
}

// places are where resolve is to work.
var places = []string{"plain", "mounted", "cover", "linked", "below"}

func TestResolveAMerge(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.differ()
			_, code := b.try("git", "merge", "bob")
			require.Equal(t, 1, code)
			out := b.left()
			require.Contains(t, out, `Puzzle_Panel 6001 "bunker panel": yours changed it (Ann, 2001-02-03) / shared deleted it (Bob, 2001-02-03)`)
			require.Contains(t, out, `Door 6555 "bunker door" position: yours 46.10353, 109, 8.694907 (Ann, 2001-02-03) / shared 50, 108.1, 8.7 (Bob, 2001-02-03), 4 apart`)
			require.Contains(t, out, "2 left to settle")
			b.requireNoMore()
			_, code = b.try("git", "commit", "-q", "-m", "too early")
			require.NotZero(t, code)
			require.Contains(t, b.left("--take", "mine", "6555"), "1 left to settle")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: git commit")
			b.requireNoMore()
			b.run("git", "commit", "-q", "-m", "merged")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			door := b.run("worldfs", "show", "6555")
			for _, has := range []string{"109.0", `"bunker gate"`, "    1002\n"} {
				require.Contains(t, door, has)
			}
			require.NotContains(t, b.names("entities"), config.entityPath("6001")[len("entities/"):])
			b.requireNoMore()
			b.run("worldfs", "check")
		})
	}
}

// In a rebase the person's own edit is what git calls theirs.
func TestResolveARebase(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:3]) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.differ()
			_, code := b.try("git", "rebase", "bob")
			require.Equal(t, 1, code)
			out := b.left()
			require.Contains(t, out, "position: yours 46.10353, 109, 8.694907 (Ann, 2001-02-03) / shared 50, 108.1, 8.7 (Bob")
			require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git rebase --continue")
			b.requireNoMore()
			b.run("git", "rebase", "--continue")
			require.Empty(t, b.run("git", "status", "--porcelain"))
			require.Contains(t, b.run("worldfs", "show", "6555"), "109.0")
			require.Contains(t, b.run("worldfs", "show", "6555"), `"bunker gate"`)
			require.Contains(t, b.run("worldfs", "show", "6001"), "Puzzle_Panel")
			require.Contains(t, b.run("worldfs", "resolve"), "rebase: nothing changed")
		})
	}
}

// A rebase does not go on while edits are not staged, of the world or besides: what resolve names does.
func TestResolveNamesWhatGoesOnWithARebase(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:2]) {
		for _, edit := range someOf(t, []string{"world", "besides"}, place) {
			t.Run(place+", "+edit, func(t *testing.T) {
				b := resolveWorld(t, place)
				b.write("notes", "one\n")
				b.commit("Ann")
				b.differ()
				b.try("git", "rebase", "bob")
				require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git rebase --continue\n")
				if edit == "world" {
					b.set(1003, "position.x = 7")
					b.run("worldfs", "sync")
				} else {
					b.write("notes", "two\n")
				}
				out, _ := b.try("git", "rebase", "--continue")
				require.Contains(t, out, "git add", "git goes on without")
				out = b.run("worldfs", "resolve")
				_, next, _ := strings.Cut(strings.TrimSpace(out), "; next: ")
				require.Equal(t, "git add -u && git rebase --continue", next, out)
				b.run("sh", "-c", next)
				require.Empty(t, b.run("git", "status", "--porcelain"))
				require.Contains(t, b.run("worldfs", "show", "6555"), "109.0")
				if edit == "world" {
					require.Contains(t, b.run("worldfs", "show", "1003"), "7.0")
				}
			})
		}
	}
}

func TestResolveOtherOperations(t *testing.T) {
	t.Parallel()
	t.Run("cherry-pick", func(t *testing.T) {
		b := resolveWorld(t, "plain")
		b.differ()
		_, code := b.try("git", "cherry-pick", "bob")
		require.Equal(t, 1, code)
		require.Contains(t, b.left(), "yours 46.10353, 109, 8.694907 (Ann")
		require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: git cherry-pick --continue")
		b.run("git", "cherry-pick", "--continue")
		require.Contains(t, b.run("worldfs", "show", "6555"), "50.0")
	})
	t.Run("revert", func(t *testing.T) {
		b := resolveWorld(t, "plain")
		b.set(6555, "position.y = 109")
		b.commit("Ann")
		b.set(6555, "position.y = 110", `entity_name = "gate"`)
		b.commit("Bob")
		_, code := b.try("git", "revert", "--no-edit", "HEAD~1")
		require.Equal(t, 1, code)
		require.Contains(t, b.left(), "yours 46.10353, 110, 8.694907 (Bob")
		require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git revert --skip")
		require.Contains(t, b.run("worldfs", "show", "6555"), "110.0")
		require.Contains(t, b.run("worldfs", "show", "6555"), `"gate"`)
		b.run("git", "revert", "--skip")
		require.Contains(t, b.run("worldfs", "show", "6555"), "110.0")
		require.NotContains(t, b.run("worldfs", "status"), "has stopped")
	})
	// A rebase that goes by patches makes no commit that is empty, as one that merges passes over it.
	for option, next := range map[string]string{"--apply": "git rebase --skip", "--merge": "git rebase --continue"} {
		t.Run("rebase to nothing "+option, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			b.diverge(func(b *bench) { b.set(6555, "map_size = 6") }, func(b *bench) { b.set(6555, "map_size = 7") })
			_, code := b.try("git", "rebase", option, "bob")
			require.NotZero(t, code)
			require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: "+next+"\n")
			require.Contains(t, b.run("worldfs", "status"), "["+next+"]")
			b.run("sh", "-c", next)
			require.NotContains(t, b.run("worldfs", "status"), "has stopped")
			b.holds(6555, "map_size == 6")
		})
	}
	t.Run("stash", func(t *testing.T) {
		b := resolveWorld(t, "plain")
		b.set(6555, "position.y = 110", "map_size = 99")
		b.run("worldfs", "sync")
		b.run("git", "stash", "-q")
		b.set(6555, "position.y = 109", `entity_name = "gate"`)
		b.commit("Ann")
		_, code := b.try("git", "stash", "pop")
		require.Equal(t, 1, code)
		require.Contains(t, b.left(), "yours 46.10353, 110, 8.694907")
		require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git stash drop")
		door := b.run("worldfs", "show", "6555")
		for _, has := range []string{"110.0", `"gate"`, "    99\n"} {
			require.Contains(t, door, has)
		}
	})
	t.Run("squash", func(t *testing.T) {
		b := resolveWorld(t, "plain")
		b.differ()
		_, code := b.try("git", "merge", "--squash", "bob")
		require.Equal(t, 1, code)
		require.Contains(t, b.left(), "yours 46.10353, 109, 8.694907 (Ann")
		require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: git commit")
		b.requireNoMore()
		b.run("git", "commit", "-q", "-m", "squashed")
		require.Contains(t, b.run("worldfs", "show", "6555"), "50.0")
	})
	t.Run("beside other files", func(t *testing.T) {
		b := resolveWorld(t, "below")
		b.write("../code.c", "one")
		b.commit("Ann")
		b.differ()
		b.write("../code.c", "two")
		b.run("git", "add", "../code.c")
		b.commit("Ann")
		b.run("git", "checkout", "-q", "bob")
		b.write("../code.c", "three")
		b.run("git", "add", "../code.c")
		b.commit("Bob")
		b.run("git", "checkout", "-q", "ann")
		b.try("git", "merge", "bob")
		b.left()
		require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: settle 1 other files that git could not merge, then git commit")
		require.Equal(t, "UU game/code.c\n", b.run("git", "status", "--porcelain", "../code.c"))
	})
	t.Run("none", func(t *testing.T) {
		b := resolveWorld(t, "plain")
		require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
		b.run("git", "rm", "-rq", "--cached", "entities")
		b.commitIndex("without")
		base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
		for _, branch := range []string{"one", "two"} {
			b.run("git", "checkout", "-q", "-b", branch, base)
			b.write("notes.txt", branch)
			b.run("git", "add", "notes.txt")
			b.commitIndex(branch)
		}
		b.try("git", "merge", "one")
		require.Contains(t, b.run("worldfs", "resolve"), "on neither side does git have an entity")
		require.Empty(t, b.run("git", "ls-files", "entities"))
	})
}

// What git merged by itself, without a word, is merged as a world all the same: half of
// either side's vector is no value that a person gave.
func TestResolveWhatGitHasGoneThroughWith(t *testing.T) {
	b := resolveWorld(t, "plain")
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	b.run("git", "checkout", "-q", "-b", "bob")
	b.run("rm", config.entityPath("6001"))
	b.commit("Bob")
	b.run("git", "checkout", "-q", "-b", "ann", base)
	b.set(6555, "targets = [6001, 6005, 1002]", "mount_parent_id = 6001")
	b.commit("Ann")
	b.run("git", "merge", "-q", "-m", "merged", "bob")
	out, _ := b.try("worldfs", "resolve")
	require.Contains(t, out, "6001")
	b.requireNoMore()
}

// A person who settles a conflict in the file, in either of the ways that there are, has
// settled it.
func TestResolveKeepsWhatAPersonSettled(t *testing.T) {
	t.Parallel()
	for name, settle := range inTurn(t, map[string]func(b *bench){
		"in the editor":          func(b *bench) { b.run("sed", "-i", `/^<<<<<<</d; /^=======/,/^>>>>>>>/d`, config.entityPath("6555")) },
		"with checkout --theirs": func(b *bench) { b.run("git", "checkout", "--theirs", config.entityPath("6555")) },
		"and added it": func(b *bench) {
			b.run("git", "checkout", "--theirs", config.entityPath("6555"))
			b.run("git", "add", config.entityPath("6555"))
		},
	}) {
		for _, first := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " after resolve ", first), func(t *testing.T) {
				b := resolveWorld(t, "plain")
				b.differ()
				b.try("git", "merge", "bob")
				if first || name == "in the editor" { // what git marks there is no text
					b.left()
				}
				settle(b)
				text := b.read(config.entityPath("6555"))
				out := b.left()
				require.NotContains(t, out, "6555 \"bunker door\" position")
				require.Equal(t, text, b.read(config.entityPath("6555")))
				b.requireNoMore()
				require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: git commit")
				require.Equal(t, text, b.read(config.entityPath("6555")))
				b.run("git", "commit", "-q", "-m", "merged")
				require.Equal(t, text, b.read(config.entityPath("6555")))
				b.requireNoMore()
			})
		}
	}
}

// What a person edits, and adds, while git waits for a merge to be settled, stands.
func TestResolveKeepsWhatWasAddedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:2]) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			b.diverge(
				func(b *bench) {
					b.set(6555, "position.x = 50")
					b.set(6005, "position.x = 1")
					b.set(10000, "position.x = 1")
				},
				func(b *bench) {
					b.set(6555, "position.x = 51")
					b.set(10000, `entity_name = "ann's"`, "group_id = 0")
				})
			_, code := b.try("git", "merge", "bob")
			require.Equal(t, 1, code)
			edited := []int{10001, 6005, 10000} // by neither side, by one, by both
			for _, id := range edited {
				b.set(id, `entity_name = "meanwhile"`)
			}
			b.run("worldfs", "sync")
			for _, id := range edited {
				b.run("git", "add", config.entityPath(fmt.Sprint(id)))
			}
			b.left()
			b.requireNoMore()
			b.run("worldfs", "resolve", "--take", "mine")
			b.requireNoMore()
			for _, id := range edited {
				require.Contains(t, b.read(config.entityPath(fmt.Sprint(id))), `"meanwhile"`)
			}
			require.Contains(t, b.read(config.entityPath("10000")), "    1.000000")
			require.Contains(t, b.read(config.entityPath("6005")), "    1.000000")
		})
	}
}

// A merge that a person has gone through with, conflicts and all, is that person's.
func TestResolveAfterAMergeByHand(t *testing.T) {
	b := resolveWorldOf(t, "plain", 300)
	b.differ()
	b.try("git", "merge", "bob")
	b.run("git", "checkout", "--theirs", config.entityPath("6555"))
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "merged")
	text := b.read(config.entityPath("6555"))
	require.Contains(t, b.run("worldfs", "resolve"), "1 file written", "the panel on the door, which comes along with theirs")
	require.Equal(t, text, b.read(config.entityPath("6555")))
	require.NotContains(t, b.run("worldfs", "status"), "mounted on")
	b.run("git", "commit", "-q", "-a", "-m", "the panel")
	require.Contains(t, b.run("worldfs", "resolve"), "nothing to resolve")
	require.Equal(t, text, b.read(config.entityPath("6555")))
}

// What is no conflict of this merge's stays as it is: a text that does not parse, one that
// a person has mended, markers of an earlier merge.
func TestResolveLeavesWhatIsBrokenAlone(t *testing.T) {
	b := resolveWorld(t, "plain")
	door, lamp, panel := config.entityPath("6555"), config.entityPath("1002"), config.entityPath("6005")
	good := b.read(lamp)
	b.write(lamp, "broken\n")
	marked := strings.Replace(b.read(panel), "; entity_name\n", "<<<<<<< ours\n; entity_name\n    \"a\"\n=======\n; entity_name\n    \"b\"\n>>>>>>> theirs\n; entity_name_before\n", 1)
	b.write(panel, marked)
	b.commit("Ann")
	b.differ2()
	b.write(lamp, good) // mended, not committed
	b.write(config.entityPath("6001"), "also broken\n")
	b.try("git", "merge", "bob")
	out, code := b.try("worldfs", "resolve", "--take", "mine")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "left as it is: "+config.entityPath("6001"))
	require.Equal(t, good, b.read(lamp))
	require.Equal(t, marked, b.read(panel))
	require.Equal(t, "also broken\n", b.read(config.entityPath("6001")))
	require.NotContains(t, b.read(door), "<<<<<<<")
	b.requireNoMore()
}

// differ2 has Ann and Bob move the door.
func (b *bench) differ2() {
	b.Helper()
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	for _, side := range []struct{ branch, position string }{{"bob", "50"}, {"ann", "51"}} {
		b.run("git", "checkout", "-q", "-b", side.branch, base)
		b.set(6555, "position.x = "+side.position)
		b.commit(side.branch)
	}
}

// world.toml and id_ranges, in which both sides append lines, are merged before the world
// is opened.
func TestResolveSettings(t *testing.T) {
	b := resolveWorld(t, "plain")
	base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
	for _, side := range []struct{ branch, line, setting string }{{"bob", "158000 161000 Bob #Bob", "history_days = 20"}, {"ann", "161000 164000 Ann #Ann", "log_level = \"warn\""}} {
		b.run("git", "checkout", "-q", "-b", side.branch, base)
		b.run("sh", "-c", fmt.Sprintf("echo '%s' >>id_ranges; echo '%s' >>world.toml", side.line, side.setting))
		b.commit(side.branch)
	}
	_, code := b.try("git", "merge", "bob")
	require.Equal(t, 1, code)
	require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
	for _, has := range []string{"158000 161000 Bob #Bob\n", "161000 164000 Ann #Ann\n"} {
		require.Contains(t, b.read("id_ranges"), has)
	}
	for _, has := range []string{"history_days = 20\n", "log_level = \"warn\"\n"} {
		require.Contains(t, b.read("world.toml"), has)
	}
	b.requireNoMore()
	b.run("git", "commit", "-q", "-m", "merged")
	b.run("worldfs", "check")
}

// A line of id_ranges that both sides added in two places is no conflict to git, and there
// twice then.
func TestResolveALineThatGitHasTwice(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.diverge(
		func(b *bench) { b.run("sh", "-c", "echo '158000 161000 New' >>id_ranges") },
		func(b *bench) { b.run("sed", "-i", "1i 158000 161000 New", "id_ranges") })
	b.run("git", "merge", "-q", "-m", "merged", "bob")
	require.Equal(t, 2, strings.Count(b.read("id_ranges"), "158000"))
	b.run("worldfs", "resolve")
	require.Equal(t, 1, strings.Count(b.read("id_ranges"), "158000"))
	require.Equal(t, "M  id_ranges\n", b.run("git", "status", "--porcelain"))
	b.requireNoMore()
	b.run("worldfs", "check")
}

// Killed at any moment, resolve is finished by the next call, as if it had not been.
func TestResolveKilled(t *testing.T) {
	const rounds = 5
	b := resolveWorldOf(t, "plain", 300)
	b.differ()
	const many = "type == \"Puzzle_Panel\" || type == \"Lamp\""
	moves := func(b *bench, args ...string) { // and says of those that are mounted that they follow from what they are on
		out, code := b.try("worldfs", append([]string{"set", "--where", many}, args...)...)
		require.Equal(t, 1, code, out)
		require.Contains(t, out, "2 poses of what is mounted stayed as they are")
	}
	moves(b, "position.x = position.x + 1")
	b.commit("Ann")
	b.run("git", "checkout", "-q", "bob")
	moves(b, "position.y = position.y + 2", `entity_name = "x"`)
	b.commit("Bob")
	b.run("git", "checkout", "-q", "ann")
	b.try("git", "merge", "bob")
	b.run("sh", "-c", "cd .. && cp -a w whole")
	whole := b.cd("../whole")
	want, _ := whole.try("worldfs", "resolve")
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		b.run("sh", "-c", "cd .. && rm -rf cut && cp -a w cut")
		cut := b.cd("../cut")
		cmd := cut.command(binary, "resolve")
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		cut.run("rm", "-f", ".git/index.lock") // git says so itself
		got, _ := cut.try("worldfs", "resolve")
		require.Equal(t, strings.Count(want, "yours "), strings.Count(got, "yours "), "%s", got)
		b.run("diff", "-r", whole.path("entities"), cut.path("entities"))
		require.Equal(t, whole.run("git", "status", "--porcelain"), cut.run("git", "status", "--porcelain"))
		cut.requireNoMore()
	}
}

// A declaration that both have changed stands as one side has it, or as a person writes
// it.
func TestResolveADeclaration(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, places[:3]) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorld(t, place)
			cable := b.read("types/Cable.toml")
			written := func(value string) string { return strings.Replace(cable, "default = 0.04", "default = "+value, 1) }
			require.NotEqual(t, cable, written("0.05"))
			base := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
			b.run("git", "checkout", "-q", "-b", "bob")
			b.write("types/Cable.toml", written("0.05"))
			b.commit("Bob")
			b.run("git", "checkout", "-q", "-b", "ann", base)
			b.write("types/Cable.toml", written("0.06"))
			b.commit("Ann")
			for _, c := range []struct{ settle, want string }{{"hand", "0.07"}, {"mine", "0.06"}, {"shared", "0.05"}} {
				b.try("git", "merge", "bob")
				if c.settle == "shared" {
					require.Contains(t, b.run("worldfs", "resolve"), "as you chose before: 1 ") // it is the same merge again
				} else {
					require.Contains(t, b.left(), "Cable thickness: default: yours 0.06 / shared 0.05")
					out, code := b.try("worldfs", "resolve", "--take", "base", "Cable")
					require.Equal(t, 2, code)
					require.Contains(t, out, "a type's declaration stands as one side has it")
				}
				if c.settle == "hand" {
					b.write("types/Cable.toml", written("0.07"))
					require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
				} else {
					require.Contains(t, b.run("worldfs", "resolve", "--take", c.settle, "Cable"), "next: git commit")
				}
				b.requireNoMore()
				require.Equal(t, written(c.want), b.read("types/Cable.toml"))
				b.run("git", "commit", "-q", "-m", "merged")
				b.requireNoMore()
				b.run("worldfs", "check")
				b.run("git", "reset", "-q", "--hard", "HEAD~1")
				require.Equal(t, written("0.06"), b.read("types/Cable.toml"))
			}
		})
	}
}

// One side has moved all files into other directories meanwhile: whichever merges the
// other, all is where world.toml says, and what both did is there. From one shard to
// another git takes it for directories that have new names.
func TestResolveAcrossAChangeOfShard(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"none", "last-digit"} {
		for _, mine := range someOf(t, []string{"ann", "bob"}, from) {
			t.Run("from "+from+" at "+mine, func(t *testing.T) {
				b := resolveWorld(t, "plain")
				b.run("worldfs", "shard", from)
				b.run("git", "add", "-A")
				b.run("git", "commit", "-q", "--allow-empty", "-m", from)
				file := func(id string) string {
					if from == "none" {
						return "entities/" + id + ".entity_text"
					}
					return "entities/" + id[len(id)-1:] + "/" + id + ".entity_text"
				}
				b.branches(
					func(b *bench) {
						b.run("worldfs", "shard", "hundreds")
						b.set(6555, "position.y = 109")
						b.set(6001, "position.x = position.x + 1")
						b.set(1002, "position.x = 77")
					},
					func(b *bench) {
						b.write(file("6999"), strings.Replace(b.read(file("6555")), "\n6555\n", "\n6999\n", 1))
						b.set(6555, "position = [50, 108.1, 8.7]", `entity_name = "bunker gate"`)
						b.run("rm", file("6001"))
					})
				b.run("git", "checkout", "-q", mine)
				b.try("git", "merge", map[string]string{"ann": "bob", "bob": "ann"}[mine])
				b.requireAcrossShards(mine)
			})
		}
	}
}

// requireAcrossShards resolves the merge across a change of shard.
func (b *bench) requireAcrossShards(mine string) {
	b.Helper()
	out := b.left()
	require.Contains(b, out, `Door 6555 "bunker`)
	require.Contains(b, out, "Puzzle_Panel 6001")
	require.Contains(b, out, "2 left to settle")
	b.requireNoMore()
	require.Contains(b, b.run("worldfs", "resolve", "--take", "mine"), "next: git commit")
	b.requireNoMore()
	b.run("git", "commit", "-q", "-m", "merged")
	require.Empty(b, b.run("git", "status", "--porcelain"))
	b.run("worldfs", "check")
	require.NotContains(b, b.run("worldfs", "status"), "misplaced")
	require.Contains(b, b.run("worldfs", "show", "6555"), `"bunker gate"`)
	require.Contains(b, b.run("worldfs", "show", "1002"), "77.0")
	files := b.run("git", "ls-files", "entities")
	for id, shard := range map[string]string{"6555": "555", "1002": "002", "6999": "999"} {
		require.Contains(b, files, "entities/"+shard+"/"+id+".entity_text\n")
	}
	b.requireInHundreds()
	_, code := b.try("worldfs", "show", "6001")
	require.Equal(b, mine == "bob", code != 0)
}

// After merges both ways there are two best common ancestors: what both sides have settled
// already is no conflict again.
func TestResolveACrissCross(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.branches(
		func(b *bench) { b.set(6555, "position.y = 109"); b.copyOf("6999", "Ann's door") },
		func(b *bench) { b.set(6555, "position.y = 110"); b.copyOf("6999", "Bob's door") })
	merge := func(mine, other, branch, take string) {
		b.run("git", "checkout", "-q", "-b", branch, mine)
		b.try("git", "merge", "-q", other)
		b.run("worldfs", "resolve", "--take", take)
		b.run("git", "add", "-A")
		b.run("git", "commit", "-q", "-m", branch)
	}
	merge("ann", "bob", "ann2", "mine")   // 109
	merge("bob", "ann", "bob2", "shared") // 109, too
	b.set(6555, `entity_name = "bunker gate"`)
	b.commit("Bob")
	b.run("git", "checkout", "-q", "ann2")
	b.set(6555, "map_size = 99")
	b.commit("Ann")
	require.Len(t, strings.Fields(b.run("git", "merge-base", "--all", "ann2", "bob2")), 2)

	b.try("git", "merge", "-q", "bob2")
	out := b.run("worldfs", "resolve")
	require.NotContains(t, out, "left to settle")
	require.NotContains(t, out, "new ID")
	b.requireNoMore()
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "--allow-empty", "-m", "merged")
	door := b.run("worldfs", "show", "6555")
	for _, has := range []string{"109.0", `"bunker gate"`, "    99\n"} {
		require.Contains(t, door, has)
	}
	require.Equal(t, 1, strings.Count(b.run("grep", "-rl", "Ann's door", "entities"), "\n"))
	require.Equal(t, 1, strings.Count(b.run("grep", "-rl", "Bob's door", "entities"), "\n"))
	b.run("worldfs", "check")
}

// A conflict in a types file that a person settles in it, is settled.
func TestResolveATypesFileSettledByHand(t *testing.T) {
	t.Parallel()
	for _, when := range someOf(t, []string{"before resolve", "after resolve", "without resolve"}) {
		t.Run(when, func(t *testing.T) {
			b := resolveWorld(t, "plain")
			door := "types/Door.toml"
			field := func(name, kind string) string { return fmt.Sprintf("\n[[fields]]\nname = %q\nkind = %q\n", name, kind) }
			declare := func(person, kind string) func(b *bench) {
				return func(b *bench) {
					text := strings.Replace(b.read(door), "\n[[fields]]\n", field("first_of_"+person, "u8")+"\n[[fields]]\n", 1)
					b.write(door, text+field("both", kind)+field("of_"+person, kind))
				}
			}
			b.branches(declare("ann", "u32"), declare("bob", "string"))
			b.run("git", "checkout", "-q", "ann")
			b.try("git", "merge", "-q", "bob")
			if when == "after resolve" {
				require.Contains(t, b.left(), "Door both: kind: yours u32 / shared string")
			}
			require.Contains(t, b.read(door), "<<<<<<<")
			text := b.run("git", "show", "bob:"+door) + field("first_of_ann", "u8") + field("of_ann", "u32")
			b.write(door, text)
			b.run("git", "add", door)
			if when != "without resolve" {
				require.Contains(t, b.run("worldfs", "resolve"), "next: git commit")
				require.Equal(t, text, b.read(door))
				b.requireNoMore()
			}
			b.run("git", "commit", "-q", "-m", "merged")
			require.NotContains(t, b.run("worldfs", "resolve"), "left to settle")
			require.Equal(t, text, b.read(door))
			b.requireNoMore()
			b.run("worldfs", "check")
		})
	}
}

// A merge that was aborted and is begun again is git's again: what was chosen the first
// time stands, and another choice, too.
func TestResolveAMergeThatWasBegunAgain(t *testing.T) {
	t.Parallel()
	for way, abort := range map[string][]string{"merge": {"merge", "--abort"}, "rebase": {"rebase", "--abort"}} {
		for _, first := range [][]string{{"--take", "mine"}, nil} {
			t.Run(fmt.Sprint(way, first), func(t *testing.T) {
				b := resolveWorld(t, "plain")
				b.differ()
				begin := func() {
					_, code := b.try("git", way, "bob")
					require.Equal(t, 1, code)
				}
				begin()
				_, code := b.try("worldfs", append([]string{"resolve"}, first...)...)
				require.Equal(t, first == nil, code == 1)
				b.run("git", abort...)
				require.Empty(t, b.run("git", "status", "--porcelain"))
				begin()
				out, _ := b.try("worldfs", "resolve")
				require.NotContains(t, out, "your edit stands")
				require.Contains(t, b.run("worldfs", "resolve", "--take", "shared", "6001", "6555"), "next: git ")
				for _, value := range []string{"50.0", "108.099998", "8.7", "bunker gate", "    1002\n"} {
					require.Contains(t, b.run("worldfs", "show", "6555"), value)
				}
				_, code = b.try("worldfs", "show", "6001")
				require.Equal(t, 3, code)
				b.requireNoMore()
			})
		}
	}
}

// Where git has left a file as what is chosen first, another choice is followed all the same.
func TestResolveChangesAChoiceForWhichNothingWasWritten(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.differ()
	b.try("git", "merge", "bob")
	for range 2 {
		require.Contains(t, b.run("worldfs", "resolve", "--take", "mine", "6001", "6555"), "next: git commit")
		require.Contains(t, b.run("worldfs", "show", "6001"), "Puzzle_Panel")
		require.Contains(t, b.run("worldfs", "resolve", "--take", "shared", "6001"), "next: git commit")
		_, code := b.try("worldfs", "show", "6001")
		require.Equal(t, 3, code)
	}
	b.requireNoMore()
}
