package test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pulls at the same time: one takes in what came, and what the others say is no riddle.
func TestPullsAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 300)
	w.ann.set(6005, "position.z = 9")
	for round := range 3 {
		w.bob.run("git", "pull", "-q")
		w.bob.set(1003, "position.x = position.x + 1")
		w.publish()
		var all sync.WaitGroup
		var said [4]string
		var status [4]int
		for i := range said {
			all.Go(func() { said[i], status[i] = w.ann.try("worldfs", "pull") })
		}
		all.Wait()
		require.Contains(t, status, 0, "%q", said)
		for i, out := range said {
			if status[i] != 0 {
				require.Equal(t, 3, status[i], out)
				require.Regexp(t, "another worldfs pull is at work|something was committed here, or pulled", out, "round %d", round)
			}
		}
		w.ann.pull(0) // of what is left
		require.Equal(t, w.bob.head(), w.ann.head())
		w.ann.holds(6005, "position.z == 9")
	}
}

// A fetch that another one has overtaken asks again.
func TestPullIsOvertakenByAFetch(t *testing.T) {
	t.Parallel()
	w := newShared(t, "plain", 300)
	w.bob.set(6005, "position.x = 7")
	w.publish()
	ann := *w.ann
	once := filepath.Join(t.TempDir(), "once")
	ann.wrap("git", `case " $* " in *" fetch "*) if mkdir `+once+` 2>/dev/null; then
echo "error: cannot lock ref 'refs/remotes/origin/main': is at 2f2f2f2f but expected 1e1e1e1e" >&2; exit 1; fi ;; esac`)
	require.Equal(t, 1, ann.pull(0).Commits)
	require.DirExists(t, once)
	ann.holds(6005, "position.x == 7")
}

// Where git's index is another's for long, or a killed one's, pull says so, and touches nothing.
func TestPullSaysThatGitIsAtWork(t *testing.T) {
	t.Parallel()
	for _, edited := range []bool{false, true} {
		w := newShared(t, "plain", 300)
		w.bob.set(6005, "position.x = 7")
		w.publish()
		if edited {
			w.ann.set(10000, "position.x = 1")
		}
		w.ann.write(".git/index.lock", "")
		before, at := w.ann.dirty(), w.ann.head()
		out, code := w.ann.try("worldfs", "pull")
		require.Equal(t, 3, code, out)
		require.Contains(t, out, "nothing was touched: another git, or another worldfs pull, is at work in this clone: try again when it has ended")
		require.Contains(t, out, "index.lock")
		require.Equal(t, at, w.ann.head())
		require.Equal(t, before, w.ann.dirty())
		w.ann.run("rm", ".git/index.lock")
		w.ann.try("worldfs", "pull")
		w.ann.holds(6005, "position.x == 7")
		require.Equal(t, w.bob.head(), w.ann.head())
		if edited {
			w.ann.holds(10000, "position.x == 1")
		}
	}
}
