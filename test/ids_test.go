package test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// machine returns the bench of another machine, or person: one with a home of its own, which
// has a key in the place of hardware addresses, or a role.
func (b *bench) machine(role string) *bench {
	other := *b
	home := b.TempDir()
	other.env = append(append([]string{}, b.env...), "XDG_STATE_HOME="+home+"/state", "XDG_CONFIG_HOME="+home+"/config", "WORLDFS_ROLE="+role)
	return &other
}

// idsTeam returns a repository of git's with a world, and a clone for each person.
func idsTeam(t *testing.T, people ...string) []*bench {
	b := resolveWorld(t, "plain")
	b.run("git", "clone", "-q", "--bare", ".", "../hub.git")
	var clones []*bench
	for _, person := range people {
		b.run("git", "clone", "-q", "../hub.git", "../"+person)
		clones = append(clones, b.cd("../"+person).machine(person))
	}
	return clones
}

type idsAnswer struct {
	IDs    []uint64 `json:"ids"`
	Ranges []struct {
		From, To uint64
		Mine     bool
		InUse    int `json:"in_use"`
	} `json:"ranges"`
}

func (b *bench) ids(args ...string) (a idsAnswer) {
	b.Helper()
	out := b.run("worldfs", append(append([]string{"-q", "ids"}, args...), "--json")...)
	require.NoError(b, json.Unmarshal([]byte(out), &a), out)
	return a
}

// The annoyances of ranges that people keep by hand, one after the other.
func TestIDsNeedNoCare(t *testing.T) {
	team := idsTeam(t, "ann", "bob")
	ann, bob := team[0], team[1]

	// Bulk creation: many at once, and more than a range has.
	ids := ann.ids("next", "-n", "5000").IDs
	require.Len(t, ids, 5000)
	require.Equal(t, ids[0]+4999, ids[4999])

	// A forgotten commit of the range is said each time, and is one command.
	said := func() string { return ann.run("sh", "-c", "'"+binary+"' ids next 2>&1") }
	require.Contains(t, said(), "nobody else knows of your range")
	_, status := ann.try("worldfs", "ids", "check")
	require.Equal(t, 1, status)
	ann.ids("claim", "--commit")
	require.NotContains(t, said(), "nobody else knows")
	ann.run("worldfs", "ids", "check")

	// Who is late, and has not even fetched, gets another range by itself.
	late := bob.ids("claim", "--commit").Ranges
	require.Len(t, late, 1)
	require.Greater(t, late[0].From, ids[4999])
	require.Empty(t, bob.run("git", "status", "--porcelain"))

	// A new machine, such as one with another hardware address, gets a range by itself.
	other := ann.machine("Newcomer")
	require.Greater(t, other.ids("next").IDs[0], ids[4999])

	// An ID is handed out once, whether it was used, deleted, or neither.
	next := ann.ids("next").IDs[0]
	require.Equal(t, next+1, ann.ids("next").IDs[0])
}

// An engine asks through a mount, and a killed process gives no ID twice.
func TestIDsThroughAMountAndKilled(t *testing.T) {
	t.Parallel()
	b := mountedDemo(t, 300).machine("Puzzles")
	first := b.ids("next").IDs[0]
	require.EqualValues(t, 6000, first)
	b.copyOf("6000", "new door")
	seen := map[string]bool{"6000": true}
	for i := range 12 {
		cmd := exec.Command(binary, "-q", "ids", "next", "-n", "3")
		cmd.Dir, cmd.Env = b.dir, b.env
		out := new(strings.Builder)
		cmd.Stdout = out
		require.NoError(t, cmd.Start())
		if i%2 == 0 {
			time.Sleep(time.Duration(i) * 4 * time.Millisecond) // somewhere in the middle
			_ = cmd.Process.Kill()
		}
		_ = cmd.Wait() // killed, or not
		for _, id := range strings.Fields(out.String()) {
			require.False(t, seen[id], "ID %s twice", id)
			seen[id] = true
		}
	}
	require.GreaterOrEqual(t, len(seen), 1+6*3)
	require.Contains(t, b.run("worldfs", "ids"), "Puzzles, yours")
	b.write("id_ranges", "<<<<<<< ours\n"+b.read("id_ranges"))
	require.False(t, seen[b.run("worldfs", "-q", "ids", "next")], "the last good file stays in force")
	status := b.run("worldfs", "status")
	require.Contains(t, status, "the last good file stays in force")
	out, code := b.try("worldfs", "check")
	require.Equal(t, 1, code)
	require.Contains(t, out, "id_ranges, line 1")
}

// Two that took one range far from each other are settled, by whoever comes second.
func TestIDsThatTwoTookAreSettled(t *testing.T) {
	team := idsTeam(t, "ann", "bob")
	ann, bob := team[0], team[1]
	for _, b := range team {
		b.run("worldfs", "ids", "claim")
		b.run("git", "commit", "-q", "-m", "range", "id_ranges")
	}
	ann.run("git", "push", "-q")
	bob.try("git", "pull", "-q", "--no-rebase")
	bob.run("worldfs", "resolve")
	out, status := bob.try("worldfs", "ids", "check")
	require.Equal(t, 1, status, out)
	require.Contains(t, out, "nobody's until that is settled")
	bob.try("worldfs", "ids", "check", "--fix") // its range is not published yet
	require.Contains(t, bob.run("worldfs", "ids"), "bob, yours")
	require.NotContains(t, bob.run("worldfs", "ids"), "overlaps")
	ours := bob.ids().Ranges
	theirs := ann.ids().Ranges
	require.Equal(t, theirs[len(theirs)-1].To, ours[len(ours)-1].From, "Ann's keeps its place")
}

// Neither a network nor a home is needed, as long as there is a place for what is kept.
func TestIDsWithoutNetworkAndHome(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "60", "w")
	b = b.cd("w").machine("")
	call := []string{binary, "-q", "ids", "next"}
	if exec.Command("unshare", "-n", "true").Run() == nil {
		call = append([]string{"unshare", "-n"}, call...)
	}
	cmd := exec.Command("env", append([]string{"-u", "HOME"}, call...)...)
	cmd.Dir, cmd.Env = b.dir, b.env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Regexp(t, `^[0-9]+\n$`, string(out))

	// An imported world has a line of its own.
	b.run("worldfs", "export", "-o", "../w.jsonl")
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "..", "v"), 0o755))
	v := b.cd("../v")
	v.run("worldfs", "init")
	v.run("worldfs", "import", "../w.jsonl")
	require.Contains(t, v.read("id_ranges"), "Imported")
	v.run("worldfs", "ids", "check")
}

// A commit of before id_ranges was added has none: the ranges of before stay in force there, so
// that no ID is taken that is anybody's, and with the file they are as they were.
func TestIDsInACommitFromBeforeTheRanges(t *testing.T) {
	for _, place := range someOf(t, []string{"plain", "mounted", "cover"}) {
		t.Run(place, func(t *testing.T) {
			b := resolveWorldOf(t, place, 60)
			ranges := b.read("id_ranges")
			b.run("git", "rm", "-q", "--cached", "id_ranges")
			b.run("git", "commit", "-q", "--amend", "-m", "before the ranges")
			before := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))
			b.commit("Ann")
			b.run("worldfs", "new", "Lamp", "--at", "1,2,3")
			taken := b.read("id_ranges")
			require.NotEqual(t, ranges, taken)
			first := strings.TrimSpace(b.run("git", "ls-files", "--others", "entities"))
			b.commit("Ann")
			tip := strings.TrimSpace(b.run("git", "rev-parse", "HEAD"))

			b.run("git", "checkout", "-q", before)
			_, err := os.Stat(filepath.Join(b.dir, "id_ranges"))
			require.ErrorIs(t, err, os.ErrNotExist)
			require.Contains(t, b.run("worldfs", "status"), "id_ranges: the file is gone")
			b.run("worldfs", "new", "Lamp", "--at", "4,5,6")
			second := strings.TrimSpace(b.run("git", "ls-files", "--others", "entities"))
			require.NotEqual(t, first, second, "the ID of a lamp that is in another commit")

			b.run("git", "checkout", "-q", tip)
			require.Equal(t, taken, b.read("id_ranges"))
			b.run("worldfs", "check")
			require.NotContains(t, b.run("worldfs", "status"), "id_ranges")
			require.Contains(t, b.read(first), "1.000000")
			require.Contains(t, b.read(second), "4.000000")
		})
	}
}
