package test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pull of svn's: what is here stays uncommitted, whatever svn can merge is merged as a
// world, and what it would not have seen is settled.
func TestPullOfSVN(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			ann, bob := team.ann, team.bob
			bob.set(6555, "position = [50, 108.1, 8.7]", "map_size = 99")
			bob.set(6005, "position.x = 7")
			bob.run("rm", config.entityPath("6001"))
			bob.set(1003, "position.y = 5")
			bob.run("sh", "-c", `echo '158000 161000 Bob #Bob' >>id_ranges; echo 'history_days = 20' >>world.toml`)
			bob.svnCommit("Bob")

			ann.set(6555, "position = [46, 109, 8.7]", "travel = 3")
			ann.set(6005, "position.z = 9")         // another line of the same vector: svn mixes the two
			ann.set(6555, "targets = [6001, 6005]") // one is deleted by Bob
			ann.run("sh", "-c", `echo '161000 164000 Ann #Ann' >>id_ranges`)
			ann.run("worldfs", "sync")
			before := ann.run("svn", "status")
			out, code := ann.try("worldfs", "incoming")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, `would be in conflict: Door 6555 "bunker door" position: yours 46, 109, 8.7 / shared 50, 108.1, 8.7`)
			require.Contains(t, out, "(Bob,")
			require.Equal(t, before, ann.run("svn", "status"))

			p := ann.pull(1)
			require.Equal(t, 1, p.Commits)
			ids := map[int]bool{}
			for _, l := range p.Left {
				ids[l.ID] = true
			}
			require.True(t, ids[6555], p)
			require.True(t, ids[6005], p)
			ann.holds(6555, "map_size == 99 && travel == 3")
			ann.holds(1003, "position.y == 5")
			require.Contains(t, ann.read("id_ranges"), "#Bob")
			require.Contains(t, ann.read("id_ranges"), "#Ann")
			require.Contains(t, ann.read("world.toml"), "history_days = 20")
			ann.run("worldfs", "resolve", "--take", "mine")
			ann.holds(6555, "position.x == 46")
			ann.holds(6005, "position.z == 9 && position.x != 7")
			ann.svnNoMore()
			ann.run("worldfs", "check")
			require.Contains(t, ann.run("worldfs", "pull"), "nothing comes in")
			team.fresh()
		})
	}
}

// Where a mount is between svn and the entities, a pull begins nothing.
func TestPullOfSVNInTheEntitiesShape(t *testing.T) {
	team := newSVNTeam(t, "plain")
	ann := team.entitiesShape()
	before := ann.run("svn", "status")
	out, code := ann.try("worldfs", "pull")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "nothing was touched")
	require.Contains(t, out, "worldfs unmount")
	require.Equal(t, before, ann.run("svn", "status"))
	ann.run("worldfs", "unmount")
	ann.pull(0)
	ann.holds(6005, "radius == 7 && position.z == 9")
}

// A pull that was begun plain does not go on there.
func TestAKilledPullOfSVNInTheEntitiesShape(t *testing.T) {
	team := newSVNTeam(t, "plain")
	team.bob.set(6005, "radius = 7")
	team.bob.svnCommit("Bob")
	ann := team.ann
	ann.set(6005, "position.z = 9")
	ann.killSVN("before")
	ann.run("sh", "-c", "mv .worldfs/pull.json kept")
	ann.mount("--shape", "entities")
	ann.run("sh", "-c", "mv kept .worldfs/pull.json")
	require.Contains(t, ann.run("sh", "-c", binary+" status 2>&1"), "worldfs unmount")
	require.NotContains(t, ann.run("svn", "status"), "L ")
	ann.run("worldfs", "unmount")
	ann.run("worldfs", "status")
	ann.holds(6005, "radius == 7 && position.z == 9")
}

// An update that svn began and did not end is not taken for what the person did: BASE has
// what the files have not got.
func TestPullAfterAnUpdateOfSVNWasCutOff(t *testing.T) {
	team := newSVNTeam(t, "plain")
	ann := team.entitiesShape()
	_, code := ann.try("svn", "update")
	require.NotZero(t, code)
	ann.run("worldfs", "unmount")
	team.bob.set(6555, "map_size = 99")
	team.bob.svnCommit("Bob")
	out, code := ann.try("worldfs", "pull")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "svn cleanup "+ann.dir)
	ann.run("svn", "cleanup")
	ann.pull(0)
	ann.holds(6005, "radius == 7 && position.z == 9")
	ann.holds(6555, "map_size == 99")
}

// entitiesShape has Ann, who mounts entities/ alone, edit a lamp of which Bob has committed
// something else.
func (team svnTeam) entitiesShape() (ann *bench) {
	team.ann.Helper()
	team.bob.set(6005, "radius = 7")
	team.bob.svnCommit("Bob")
	team.ann.mount("--shape", "entities")
	team.ann.set(6005, "position.z = 9")
	team.ann.run("worldfs", "sync")
	return team.ann
}

// What would be in conflict besides the world is refused, and nothing was touched.
func TestPullOfSVNRefusesBesidesTheWorld(t *testing.T) {
	team := newSVNTeam(t, "plain")
	ann, bob := team.ann, team.bob
	bob.write("notes", "one\ntwo\nthree\nfour\nfive\n")
	bob.run("svn", "add", "-q", "notes")
	bob.svnCommit("Bob")
	require.Contains(t, ann.run("worldfs", "pull"), "1 commit from svn")
	bob.write("notes", "Bob's\ntwo\nthree\nfour\nfive\n")
	bob.set(6005, "position.x = 7")
	bob.svnCommit("Bob")
	ann.write("notes", "Ann's\ntwo\nthree\nfour\nfive\n")
	ann.set(10000, "position.x = 1")
	before := ann.run("svn", "status", "-v")
	out, code := ann.try("worldfs", "pull")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "nothing was touched: notes changed here")
	require.Equal(t, before, ann.run("svn", "status", "-v"))
	ann.write("notes", "one\ntwo\nthree\nfour\nAnn's\n") // that svn merges
	ann.pull(0)
	require.Equal(t, "Bob's\ntwo\nthree\nfour\nAnn's\n", ann.read("notes"))
	ann.holds(6005, "position.x == 7")
	ann.holds(10000, "position.x == 1")
}

// Killed before or after svn's update, a pull is finished by the next command.
func TestPullOfSVNIsKilled(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			team := newSVNTeam(t, "plain")
			ann, bob := team.ann, team.bob
			bob.set(6555, "position = [50, 108.1, 8.7]", "map_size = 99")
			bob.set(6005, "position.x = 7")
			bob.svnCommit("Bob")
			ann.set(6555, "position = [46, 109, 8.7]")
			ann.set(6005, "position.z = 9")
			ann.killSVN(when)
			ann.run("worldfs", "status")
			ann.holds(6555, "map_size == 99")
			out, code := ann.try("worldfs", "resolve")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "Door 6555")
			require.Contains(t, out, "Lamp 6005")
			ann.run("worldfs", "resolve", "--take", "mine")
			ann.holds(6005, "position.z == 9 && position.x != 7")
			ann.svnNoMore()
			team.fresh()
		})
	}
}

// What was edited after a pull was killed, before svn's update or after it, stands.
func TestEditsAfterAPullOfSVNWasKilled(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			team := newSVNTeam(t, "plain")
			ann, bob := team.ann, team.bob
			bob.set(6555, "map_size = 99")
			bob.set(6005, "position.x = 7")
			bob.set(1002, "position.x = 7")
			bob.svnCommit("Bob")
			ann.set(6555, "travel = 3")
			ann.set(10000, "position.x = 1")
			ann.killSVN(when)
			for _, id := range []int{6555, 6005, 10000, 10001} {
				ann.editText(id, "since")
			}
			ann.run("worldfs", "status")
			for _, id := range []int{6555, 6005, 10000, 10001} {
				ann.holds(id, `entity_name == "since"`)
			}
			ann.holds(6555, "map_size == 99 && travel == 3")
			ann.holds(6005, "position.x == 7")
			ann.holds(1002, "position.x == 7")
			ann.holds(10000, "position.x == 1")
			ann.svnNoMore()
			team.fresh()
		})
	}
}

// Where svn was updated by hand since, a pull that was killed does not go back.
func TestAKilledPullOfSVNDoesNotGoBack(t *testing.T) {
	team := newSVNTeam(t, "plain")
	ann, bob := team.ann, team.bob
	bob.set(6005, "position.x = 7")
	bob.svnCommit("Bob")
	ann.killSVN("before")
	bob.set(6005, "position.x = 8")
	bob.svnCommit("Bob")
	ann.run("svn", "update", "-q")
	require.Contains(t, ann.run("sh", "-c", binary+" status 2>&1"), "svn has updated further since")
	ann.holds(6005, "position.x == 8")
	require.NotContains(t, ann.run("sh", "-c", binary+" status 2>&1"), "interrupted")
}

// resolve finishes a pull that was killed before it settles what that leaves.
func TestResolveFinishesAKilledPullOfSVN(t *testing.T) {
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		for _, args := range someOf(t, [][]string{{"--take", "mine"}, {"--set", "6005", "radius=8"}}) {
			t.Run(place+" "+args[0], func(t *testing.T) {
				team := newSVNTeam(t, place)
				ann, bob := team.ann, team.bob
				bob.set(6005, "radius = 7")
				bob.svnCommit("Bob")
				ann.set(6005, "radius = 8")
				ann.run("worldfs", "sync")
				ann.killSVN("after")
				require.Contains(t, ann.run("worldfs", append([]string{"resolve"}, args...)...), "next: svn commit")
				ann.holds(6005, "radius == 8")
				ann.svnNoMore()
			})
		}
	}
}

// killSVN has a pull be killed before or after svn's update.
func (b *bench) killSVN(when string) {
	b.Helper()
	real := strings.TrimSpace(b.run("sh", "-c", "command -v svn"))
	bin := filepath.Join(b.root, "bin")
	require.NoError(b, os.MkdirAll(bin, 0o755))
	run := map[string]string{"before": ":", "after": real + ` "$@"`}[when]
	require.NoError(b, os.WriteFile(filepath.Join(bin, "svn"), []byte("#!/bin/sh\ncase $1 in update) "+run+"; kill -9 $PPID; exit 1 ;; esac\nexec "+real+" \"$@\"\n"), 0o755))
	killed := *b
	killed.env = append(slices.Clone(b.env), "PATH="+bin+":"+os.Getenv("PATH"))
	_, code := killed.try("worldfs", "pull")
	require.Equal(b, -1, code)
}

var nameLine = regexp.MustCompile(`(?m)(^; entity_name\n +)".*"`)

// editText gives an entity a name, in its text: no command of worldfs runs.
func (b *bench) editText(id int, name string) {
	b.Helper()
	file := config.entityPath(strconv.Itoa(id))
	text := b.read(file)
	edited := nameLine.ReplaceAllString(text, `${1}"`+name+`"`)
	require.NotEqual(b, text, edited, file)
	b.write(file, edited)
}
