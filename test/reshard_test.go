package test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/packfile"
)

// reshardWorld is a world of that many entities in a git repository, with a branch
// for each of two layouts: flat, which is checked out, and sharded. It is mounted, with
// those arguments.
func reshardWorld(t *testing.T, entities int, mount ...string) *bench {
	if config["shard"] != "" || config.cover() {
		t.Skip("the test sets layout and shape itself")
	}
	b := newBench(t, "git", "find")
	b.run("worldfs", "demo", "--entities", fmt.Sprint(entities), "w")
	b = b.cd("w")
	b.run("worldfs", "unpack")
	b.run("git", "init", "-q", "-b", "flat")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "flat")
	b.run("git", "checkout", "-q", "-b", "sharded")
	b.run("worldfs", "shard", "last-digit")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "sharded")
	b.run("git", "checkout", "-q", "flat")
	b.mount(mount...)
	return b
}

// entityFiles returns how many entities' files a listing of the whole tree finds.
func (b *bench) entityFiles() int {
	b.Helper()
	cmd := exec.Command("find", b.path("entities"), "-name", "*.entity_text")
	out, _ := cmd.Output() // a name that went while find ran is an error of find's
	return bytes.Count(out, []byte("\n"))
}

// requirePackHas has the published pack looked at until the returned function is
// called, which fails the test if it ever had another number of entities.
func (b *bench) requirePackHas(n int) (end func()) {
	stop, result := make(chan struct{}), make(chan int)
	go func() {
		fewest := n
		for {
			if head, err := packfile.ReadHead(b.path("world.pack")); err == nil {
				fewest = min(fewest, head.Entities)
			}
			select {
			case <-stop:
				result <- fewest
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() { close(stop); require.Equal(b, n, <-result, "entities in the pack, at the fewest") }
}

// A checkout across a change of shard, both ways: every listing from then on has every
// entity, git sees nothing to commit, and so it stays.
func TestACheckoutAcrossAChangeOfShardIsWhole(t *testing.T) {
	t.Parallel()
	const n = 1417
	b := reshardWorld(t, n)
	defer b.requirePackHas(n)()
	ids := strings.Fields(b.run("git", "ls-files", "entities"))[:3]
	for i, branch := range []string{"sharded", "flat", "sharded", "flat"} {
		b.run("git", "checkout", "-q", branch)
		if i < 2 {
			require.Equal(b, n, b.entityFiles(), "right after")
		}
		out, code := b.try("git", "commit", "-am", "nothing")
		require.Equal(b, 1, code, "there is nothing to commit: %.2000s", out)
		for range 20 {
			require.Equal(b, n, b.entityFiles())
		}
		b.run("worldfs", "status")
		require.Equal(b, n, b.entityFiles())
		require.Empty(b, b.run("git", "status", "--porcelain"))
		for _, file := range ids {
			id := strings.TrimSuffix(strings.TrimPrefix(file, "entities/"), ".entity_text")
			require.NotContains(b, b.run("worldfs", "history", "--json", id), "deleted", "a move is no deletion")
		}
		require.Equal(b, i%2 == 1, !strings.Contains(b.run("git", "ls-files", "entities"), "entities/1/"))
	}
}

// A rebase and a merge across it, with an edit on the one side.
func TestARebaseAndAMergeAcrossAChangeOfShard(t *testing.T) {
	t.Parallel()
	const n = 700
	b := reshardWorld(t, n)
	for round := range 2 {
		edits := fmt.Sprintf("edits%d", round)
		b.run("git", "checkout", "-q", "-b", edits, "flat")
		for i := range 3 {
			file := strings.TrimSpace(strings.Split(b.run("git", "ls-files", "entities"), "\n")[i*7+round])
			b.run("sh", "-c", "printf '; note_"+fmt.Sprint(i)+"\\n    1\\n' >> "+file)
			b.run("git", "commit", "-qam", "edit")
		}
		b.run("git", "rebase", "-q", "sharded")
		require.Equal(b, n, b.entityFiles())
		require.Empty(b, b.run("git", "status", "--porcelain"))
		require.Equal(b, n, len(strings.Fields(b.run("git", "ls-files", "entities"))))
		b.run("git", "checkout", "-q", "flat")
		b.run("git", "checkout", "-q", "-b", "merged"+fmt.Sprint(round))
		b.run("git", "merge", "-q", "-m", "m", edits)
		require.Equal(b, n, b.entityFiles())
		require.Empty(b, b.run("git", "status", "--porcelain"))
	}
}
