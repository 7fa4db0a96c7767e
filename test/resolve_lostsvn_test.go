package test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// svnClash has Ann and Bob change an entity's position, and each something else of it that
// the other does not.
func (team svnTeam) svnClash() {
	team.bob.Helper()
	team.bob.set(6555, "position = [50, 108.1, 8.7]", `entity_name = "bunker gate"`)
	team.bob.svnCommit("Bob")
	team.ann.set(6555, "position.y = 109", "targets = [1002]")
}

// seen has the sides of conflicts be kept in one of the ways that do so.
var seen = map[string]func(b *bench){
	"status":  func(b *bench) { b.run("worldfs", "status") },
	"resolve": func(b *bench) { b.left() },
	"wrapper": func(*bench) {}, // at the update
	"daemon": func(b *bench) {
		require.Eventually(b, func() bool {
			kept := b.kept()
			return len(kept) == 1 && strings.HasSuffix(kept[0], ".json") // else it is being written
		}, time.Minute, 50*time.Millisecond)
	},
}

// People go their old ways: the whole file of one side. svn forgets then what there was.
func TestResolveRestoresWhatWasThrownAwayInSVN(t *testing.T) {
	t.Parallel()
	const (
		mine   = "targets"
		theirs = "entity_name"
	)
	for _, c := range someOf(t, []struct {
		place, by, accept string
		lost, kept        []string
	}{
		{"plain", "status", "theirs-full", []string{mine}, []string{theirs}},
		{"below", "resolve", "mine-full", []string{theirs}, []string{mine}},
		{"plain", "wrapper", "base", []string{mine, theirs}, nil},
		{"cover", "wrapper", "theirs-full", []string{mine}, []string{theirs}},
		{"cover", "daemon", "mine-full", []string{theirs}, []string{mine}},
		{"sharded", "wrapper", "hands", []string{theirs}, []string{mine}},
	}) {
		t.Run(c.place+" "+c.by+" "+c.accept, func(t *testing.T) {
			if c.place == "sharded" && config["shard"] != "" {
				t.Skip("it makes its own shards")
			}
			team := newSVNTeam(t, c.place)
			b, door := team.ann, config.entityPath("6555")
			if c.place == "sharded" {
				door = "entities/555/6555.entity_text"
				if _, err := os.Stat(b.path(door)); err != nil {
					door = "entities/055/6555.entity_text"
				}
			}
			if c.by == "wrapper" {
				b.run("worldfs", "vcs", "install", "--yes")
			}
			team.svnClash()
			b.svnUpdate()
			require.Contains(t, b.read(door), "<<<<<<< ")
			seen[c.by](b)
			if c.accept == "hands" {
				b.run("cp", door+".mine", door)
				b.run("sh", "-c", "sed -i 's/109.000000 : 42da0000/110.000000 : 42dc0000/' "+door)
				out := b.run("worldfs", "resolve")
				require.Contains(t, out, "thrown away by the update:\n", "svn has the conflict still")
			} else {
				b.run("svn", "resolve", "-q", "--accept", c.accept, door)
			}
			status := b.run("worldfs", "status")
			require.Contains(t, status, "thrown away by the update:\n")
			_, status, _ = strings.Cut(status, "thrown away")
			require.NotContains(t, status, "position", "which was disputed")
			for _, field := range c.lost {
				require.Contains(t, status, field)
			}
			for _, field := range c.kept {
				require.NotContains(t, status, field)
			}
			b.run("worldfs", "status")
			for begun := time.Now(); len(b.kept()) > 0 && time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
				b.run("worldfs", "status") // the daemon may have kept it once more meanwhile
			}
			for _, name := range b.kept() {
				require.Fail(t, "it is known for good", "%s is kept still: %s", name, b.read(".worldfs/sides/"+name))
			}
			b.run("svn", "commit", "-q", "-m", "Ann", "--username", "Ann")
			require.Contains(t, b.run("worldfs", "status"), "thrown away by the update:\n")
			require.Contains(t, b.run("worldfs", "resolve", "--restore-lost"), "1 changed")
			shown := b.run("worldfs", "show", "6555")
			require.Contains(t, shown, "; targets\n    [\n    1002\n    ]\n")
			require.Contains(t, shown, "bunker gate")
			require.NotContains(t, b.run("worldfs", "status"), "thrown away")
			if c.place != "sharded" {
				team.fresh()
			}
		})
	}
}

// kept returns the names of the sides that are kept.
func (b *bench) kept() (names []string) {
	entries, _ := os.ReadDir(b.path(".worldfs/sides")) // none where there is none
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// What resolve settles is lost nowhere, whoever takes which side; so is what a person has
// put together by hand, and what is dismissed.
func TestNothingIsLostInSVNThatWasSettled(t *testing.T) {
	team := installed(t, "plain")
	b, door := team.ann, config.entityPath("6555")
	team.svnClash()
	b.svnUpdate()
	require.NotEmpty(t, b.kept())
	b.left()
	require.NotContains(t, b.run("worldfs", "resolve", "--take", "shared"), "thrown away")
	require.NotContains(t, b.run("worldfs", "status"), "thrown away")
	require.Empty(t, b.kept())
	team.fresh()

	team.bob.run("svn", "update", "-q")
	team.bob.set(6555, "position = [1, 2, 3]", "travel = 9")
	team.bob.svnCommit("Bob")
	b.set(6555, "position = [4, 5, 6]", "map_size = 8")
	b.svnUpdate()
	b.run("svn", "resolve", "-q", "--accept", "theirs-full", door)
	require.Contains(t, b.run("worldfs", "status", "--json"), `"operation":"update"`)
	require.Contains(t, b.run("worldfs", "resolve", "--dismiss-lost"), "1 change dismissed")
	require.NotContains(t, b.run("worldfs", "status"), "thrown away")
}

// An update that did not come to an end has thrown nothing away; a record that is damaged
// is told once, and keeps nothing else from being known.
func TestSidesOfAnUpdateThatEndedEarly(t *testing.T) {
	team := installed(t, "plain")
	b, door := team.ann, config.entityPath("6555")
	team.bob.set(6005, "position.x = 50", `entity_name = "renamed"`)
	team.svnClash()
	b.set(6005, "position.x = 51", "orientation = [0, 0, 1, 0]")
	b.run("worldfs", "sync")
	program := b.home().path(".subversion/worldfs-diff3")
	script := readFile(t, program)
	require.NoError(t, os.WriteFile(program, []byte(strings.Replace(script, "s=$?", "kill -9 $PPID", 1)), 0o755))
	cmd := b.command("svn", "update", "--accept", "postpone")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.Error(t, cmd.Run())
	require.NoError(t, os.WriteFile(program, []byte(script), 0o755))
	require.Len(t, b.kept(), 1)
	require.NotContains(t, b.run("worldfs", "status"), "thrown away")
	b.run("svn", "cleanup")
	require.NotContains(t, b.run("worldfs", "status"), "thrown away")
	b.run("svn", "update", "--accept", "postpone")
	require.Len(t, b.kept(), 2)
	b.run("svn", "resolve", "-q", "--accept", "theirs-full", door, config.entityPath("6005"))
	damaged := ".worldfs/sides/" + b.kept()[0]
	b.run("sed", "-i", `s/"mine":"[^"]*"/"mine":"AAAA"/`, damaged)
	out := b.both("worldfs", "status")
	require.Contains(t, out, "what svn could not merge is not known any more: "+damaged+": its name is that of other texts")
	require.Contains(t, out, "thrown away by the update:\n", "the other")
	require.NotContains(t, b.both("worldfs", "status"), "not known any more")
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// Two edits of which svn knows no conflict can break the world all the same.
func TestResolveSettlesWhatDoesNotFitTogether(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover"}) {
		t.Run(place, func(t *testing.T) {
			team := newSVNTeam(t, place)
			b := team.ann
			team.bob.run("rm", config.entityPath("6001"))
			team.bob.svnCommit("Bob")
			b.set(6555, "group_id = 6001")
			b.svnUpdate()
			out := b.run("worldfs", "resolve")
			require.Contains(t, out, "repair: Door 6555")
			require.Contains(t, out, "6001 became 0")
			require.NotContains(t, b.run("worldfs", "status"), "field group_id: it refers to")
		})
	}
}
