package test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The daemon is killed at any moment of a checkout across a change of shard, which goes
// on without it. What a person then does leaves the world of the commit: each entity's
// file once, under no other name, and no deletion is told.
//
// WORLDFS_CRASH_ROUNDS says how often, WORLDFS_CRASH_SEED makes it other.
func TestKilledAmidACheckoutAcrossAChangeOfShard(t *testing.T) {
	t.Parallel()
	rounds, seed := number(t, "WORLDFS_CRASH_ROUNDS", 4), number(t, "WORLDFS_CRASH_SEED", 1)
	const n = 300
	b := reshardWorld(t, n)
	r := reshardKill{bench: b, n: n, random: rand.New(rand.NewPCG(uint64(seed), 0)), told: b.tellings()}
	began := time.Now()
	b.run("git", "checkout", "-q", "sharded")
	r.takes = time.Since(began)
	for round := range rounds {
		r.log = []string{fmt.Sprintf("seed %d, round %d, checkouts take %v", seed, round, r.takes)}
		r.round([]string{"flat", "sharded"}[round%2])
		if t.Failed() {
			return
		}
	}
}

// reshardKill is a world whose daemon is killed in checkouts across a change of shard.
type reshardKill struct {
	*bench
	n      int // entities
	random *rand.Rand
	takes  time.Duration // a whole checkout
	told   func() string // what watch has told
	log    []string      // what happened in this round
}

func (r *reshardKill) note(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

// do runs a command, whatever comes of it.
func (r *reshardKill) do(name string, args ...string) string {
	out, code := r.try(name, args...)
	r.note("%s %s: %d %.300s", name, strings.Join(args, " "), code, out)
	return out
}

func (r *reshardKill) round(to string) {
	defer func() {
		if r.Failed() {
			r.Logf("%s", strings.Join(r.log, "\n"))
		}
	}()
	had := r.requirePackHas(r.n)
	began := len(r.told())
	moving := r.killAmidCheckout(to)
	for range 1 + r.random.IntN(3) {
		r.do("worldfs", []string{"unmount", "mount", "status", "sync"}[r.random.IntN(4)])
	}
	r.do("sh", "-c", "rm -f .git/index.lock; git status --short | cut -c-3 | sort | uniq -c; find entities | sed 's/[0-9]*.entity_text/N/' | sort | uniq -c")
	r.do("git", "clean", "-fdq", "entities")
	r.run("git", "checkout", "-qf", to)
	r.verify("after the checkout")
	r.do("worldfs", "sync")
	r.verify("after a sync")
	if !r.mounted() {
		r.bench.run("worldfs", "mount")
	}
	r.verify("mounted")
	if moving {
		had()
		require.NotContains(r, r.told()[began:], `"deleted"`)
	}
	require.Empty(r, r.run("worldfs", "check"))
}

// killAmidCheckout kills the daemon while git checks out a branch, and returns when git
// has ended. It may wait for the daemon that was killed until a command ends the mount.
// moving reports whether git had begun to write files in their new places: before that
// it deletes files and nothing says that they are to move.
func (r *reshardKill) killAmidCheckout(to string) (moving bool) {
	pid := r.daemon()
	git := r.command("git", "checkout", "-q", to)
	require.NoError(r, git.Start())
	ended := make(chan error, 1)
	go func() { ended <- git.Wait() }()
	after := time.Duration(r.random.Float64() * float64(r.takes))
	time.Sleep(after)
	moving = len(r.globbed(map[string]string{"flat": "*.entity_text", "sharded": "[0-9]/*.entity_text"}[to])) > 0
	require.NoError(r, syscall.Kill(pid, syscall.SIGKILL))
	r.note("killed %v after the checkout of %s began", after, to)
	if r.random.IntN(2) == 0 {
		select {
		case err := <-ended:
			r.note("git ended by itself: %v; moving: %v", err, moving)
			return moving
		case <-time.After(10 * time.Second):
		}
	}
	r.do("worldfs", "status")
	r.note("git ended: %v; moving: %v", <-ended, moving)
	return moving
}

// globbed returns the paths in entities/ that match a pattern.
func (r *reshardKill) globbed(pattern string) []string {
	paths, err := filepath.Glob(r.path("entities/" + pattern))
	require.NoError(r, err)
	return paths
}

// verify looks at all files.
func (r *reshardKill) verify(when string) {
	r.Helper()
	out, err := exec.Command("find", r.path("entities"), "-type", "f").Output()
	require.NoError(r, err)
	files := strings.Fields(string(out))
	for _, file := range files {
		require.False(r, strings.HasSuffix(file, "~"), "%s: %s", when, file)
	}
	require.Empty(r, r.run("git", "status", "--porcelain"), when)
	require.Equal(r, r.n, r.entityFiles(), when)
}
