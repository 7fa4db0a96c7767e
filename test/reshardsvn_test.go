package test

import (
	"fmt"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An update and a switch of svn across a change of shard leave a file that was edited in its
// old place, in conflict. No command takes the edit out of the files before resolve brings it
// to where the file lies now; what was edited there since stands.
func TestSVNAcrossAChangeOfShard(t *testing.T) {
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		for _, command := range someOf(t, []string{"update", "switch"}) {
			t.Run(command+", "+place, func(t *testing.T) {
				team := newSVNTeam(t, "plain")
				b := team.ann
				args := team.bobShards(command)
				if place == "cover" {
					b.mount("--shape", "cover")
				}
				b.set(6555, "position.x = 4321")
				b.set(1002, "position.x = 4321")
				b.run("worldfs", "sync")
				b.run("svn", args...)
				if place == "cover" {
					b.awaitMoved("entities/5/6555.entity_text")
				}
				b.set(1002, `entity_name = "bunker two"`)
				b.run("worldfs", "status")
				require.Contains(t, b.read("entities/6555.entity_text"), "4321")
				require.NotContains(t, b.read("entities/5/6555.entity_text"), "4321")
				require.Contains(t, b.read("entities/5/6555.entity_text"), "bunker gate")

				out, code := b.try("worldfs", "resolve")
				require.Zero(t, code, out)
				require.Contains(t, out, "next: svn commit")
				require.NotContains(t, b.run("svn", "status"), "C ")
				require.NotContains(t, b.run("svn", "status"), "?")
				require.NoFileExists(t, b.path("entities/6555.entity_text"))
				door := b.read("entities/5/6555.entity_text")
				require.Contains(t, door, "4321")
				require.Contains(t, door, "bunker gate")
				require.Equal(t, door, b.run("worldfs", "show", "6555"))
				require.NoFileExists(t, b.path("entities/1002.entity_text"))
				require.Contains(t, b.read("entities/2/1002.entity_text"), "4321")
				require.Contains(t, b.read("entities/2/1002.entity_text"), "bunker two")
				b.svnNoMore()
				team.fresh()
			})
		}
	}
}

// bobShards has Bob move the files, and give the door another name, on trunk or, for a switch,
// on a branch. It returns svn's arguments to get that.
func (team svnTeam) bobShards(command string) []string {
	team.bob.Helper()
	args := []string{command, "-q", "--accept", "postpone"}
	if command == "switch" {
		branch := strings.TrimSuffix(team.url, "trunk") + "branch"
		team.bob.run("svn", "copy", "-q", "-m", "branch", team.url, branch)
		team.bob.run("svn", "switch", "-q", branch)
		args = append(args, branch)
	}
	team.bob.run("worldfs", "shard", "last-digit")
	team.bob.set(6555, `entity_name = "bunker gate"`)
	team.bob.svnCommit("Bob")
	return args
}

// awaitMoved returns once a mount has followed world.toml: what a checkout has written in the
// place of an entity's file is the entity's.
func (b *bench) awaitMoved(name string) {
	b.Helper()
	id := name[strings.LastIndex(name, "/")+1 : strings.LastIndex(name, ".")]
	b.eventually(func() bool { return b.read(name) == b.run("worldfs", "show", id) })
}

// The daemon is killed right after such an update, which may be before it has followed
// world.toml: the edit is in its old place all the same, and resolve merges it.
func TestKilledAfterAnUpdateAcrossAChangeOfShard(t *testing.T) {
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	team := newSVNTeam(t, "plain")
	b := team.ann
	args := team.bobShards("update")
	b.mount("--shape", "cover")
	b.set(6555, "position.x = 4321")
	b.run("worldfs", "sync")
	pid := b.daemon()
	b.run("svn", args...)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	b.ended(pid)
	b.cd("..").run("worldfs", "-C", b.dir, "mount", "--shape", "cover") // from outside: a mount that is dead covers the world
	require.Contains(t, b.read("entities/6555.entity_text"), "4321")
	require.Contains(t, b.run("worldfs", "status"), "entities/6555.entity_text is not read")
	require.Contains(t, b.run("worldfs", "show", "6555"), "bunker gate")

	require.Contains(t, b.run("worldfs", "resolve"), "next: svn commit")
	require.NotContains(t, b.run("svn", "status"), "?")
	door := b.read("entities/5/6555.entity_text")
	require.Contains(t, door, "4321")
	require.Contains(t, door, "bunker gate")
	b.svnNoMore()
	team.fresh()
}

// Across a change of shard, too, what one side has and the other has not is left to people
// where something was changed: an edit against a deletion is a conflict, and what was added or
// deleted here stays so, whether a command looked at the world before resolve or not.
func TestSVNAcrossAChangeOfShardAddsAndDeletes(t *testing.T) {
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		for _, command := range someOf(t, []string{"update", "switch", "pull"}) {
			for _, status := range someOf(t, []bool{false, true}) {
				t.Run(fmt.Sprint(command, ", ", place, ", ", status), func(t *testing.T) {
					team := newSVNTeam(t, "plain")
					b := team.ann
					args := []string{"svn"}
					if command == "pull" {
						team.bobShards("update")
						args = []string{"worldfs", "pull"}
					} else {
						args = append(args, team.bobShards(command)...)
					}
					team.bob.run("worldfs", "rm", "6001")
					team.bob.svnCommit("Bob")
					if place == "cover" {
						b.mount("--shape", "cover")
					}
					b.set(6001, `entity_name = "edited"`)
					b.run("sh", "-c", "sed 's/^6005$/6900/; s/\"bunker lamp\"/\"added\"/' entities/6005.entity_text >entities/6900.entity_text")
					b.run("worldfs", "rm", "6005")
					b.run("worldfs", "vcs", "sync")
					_, code := b.try(args[0], args[1:]...)
					require.Equal(t, command == "pull", code == 1, "a pull tells what is left")
					if status {
						b.run("worldfs", "status")
					}
					out := b.left()
					require.Contains(t, out, "Puzzle_Panel 6001")
					require.Contains(t, out, "1 left to settle")
					b.svnNoMore()
					require.Contains(t, b.read("entities/1/6001.entity_text"), "<<<<<<<")
					require.Contains(t, b.run("worldfs", "show", "6900"), "added")

					require.Contains(t, b.run("worldfs", "resolve", "--take", "mine"), "next: svn commit")
					b.run("worldfs", "vcs", "sync")
					team.requireIn([]string{"edited", "added", "bunker gate"}, []string{"6005"})
				})
			}
		}
	}
}

// A file that svn was to add with the next commit is moved by the mount, across an update that
// changes shard: svn is to add it in its new place then, also without vcs.auto.
func TestAnAdditionIsMovedInSVN(t *testing.T) {
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	for _, ends := range someOf(t, []string{"later", "at once"}) {
		t.Run("unmounted "+ends, func(t *testing.T) {
			team := newSVNTeam(t, "cover")
			b := team.ann
			args := team.bobShards("update")
			b.run("worldfs", "new", "Lamp", "--from", "6005")
			b.run("worldfs", "vcs", "sync")
			name := strings.TrimSpace(strings.TrimPrefix(b.run("sh", "-c", "svn status entities"), "A "))
			b.write("entities/92004.entity_text", b.read(name)) // that svn does not know
			b.run("svn", args...)
			moved := "entities/" + strings.TrimSuffix(name, ".entity_text")[len(name)-len(".entity_text")-1:] + "/" + path.Base(name)
			if ends == "later" {
				require.Eventually(t, func() bool { return b.run("svn", "status", moved) == "A       "+moved+"\n" }, time.Minute, 50*time.Millisecond)
			}
			b.run("worldfs", "unmount")
			require.Equal(t, "A       "+moved+"\n?       entities/4/92004.entity_text\n", b.run("svn", "status", "entities"))
			b.run("svn", "commit", "-q", "-m", "a lamp")
		})
	}
}

// So it is where svn has conflicts besides, which resolve settles: what was added can be committed
// when it says so.
func TestAnAdditionIsMovedInSVNAmidConflicts(t *testing.T) {
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	for _, command := range someOf(t, []string{"update", "pull"}) {
		for _, place := range someOf(t, []string{"cover", "plain"}) {
			t.Run(command+", "+place, func(t *testing.T) {
				team := newSVNTeam(t, place)
				b := team.ann
				args := team.bobShards("update")
				b.set(6555, "position.x = 4321")
				b.run("sh", "-c", "sed 's/^6005$/6900/; s/\"bunker lamp\"/\"added\"/' entities/6005.entity_text >entities/6900.entity_text")
				b.run("worldfs", "vcs", "sync")
				if command == "pull" {
					require.Contains(t, b.run("worldfs", "pull"), "next: svn commit")
				} else {
					b.run("svn", args...)
					if place == "cover" {
						b.awaitMoved("entities/0/6900.entity_text")
					}
					require.Contains(t, b.run("worldfs", "resolve"), "next: svn commit")
				}
				team.requireIn([]string{"added", "bunker gate"}, nil)
				b.holds(6555, "position.x == 4321")
			})
		}
	}
}
