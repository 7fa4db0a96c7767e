package test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// lossWorld is a world of n entities in git, mounted, and what watch tells of it.
func lossWorld(t *testing.T, n int) (b *bench, told func() string) {
	if config["shard"] != "" || config["plain"] == "false" {
		t.Skip("the test removes the plain files of a flat world")
	}
	b = newBench(t, "git")
	b.run("worldfs", "demo", "--entities", fmt.Sprint(n), "w")
	b = b.cd("w")
	b.run("worldfs", "unpack")
	b.run("git", "init", "-q", "-b", "main")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-q", "-m", "all")
	b.mount()
	return b, b.tellings()
}

// tellings has changes watched until the test ends, and returns what returns those told.
func (b *bench) tellings() (told func() string) {
	out := b.path("../told.jsonl")
	f, err := os.Create(out)
	require.NoError(b, err)
	watch := b.command(binary, "watch")
	watch.Stdout = f
	require.NoError(b, watch.Start())
	b.Cleanup(func() { _ = watch.Process.Kill(); _ = watch.Wait(); f.Close() })
	return func() string { return b.read("../told.jsonl") }
}

// requireRefused has commands refused because most entities are gone.
func (b *bench) requireRefused(commands ...string) {
	b.Helper()
	for _, command := range commands {
		out, code := b.try("worldfs", strings.Fields(command)...)
		require.Equal(b, 1, code, "%s: %s", command, out)
		require.Contains(b, out, "entities in world.pack", command)
	}
}

// Whatever ends the mount, a world of which all was removed stays in the pack until it
// is said that it is meant, and nothing is told before.
func TestAGreatLossIsNeverPublishedQuietly(t *testing.T) {
	t.Parallel() // it waits, mostly
	const n = 300
	b, told := lossWorld(t, n)
	before := b.read("world.pack")
	unchanged := func() {
		b.Helper()
		require.True(b, before == b.read("world.pack"), "the pack changed")
	}
	b.run("sh", "-c", "rm -rf entities/*")
	b.requireRefused("sync", "unmount", "pack", "check")
	unchanged()
	require.True(t, b.mounted())

	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		pid := b.daemon()
		require.NoError(t, syscall.Kill(pid, signal))
		b.eventually(func() bool { return syscall.Kill(pid, 0) != nil })
		b.cd("..").requireRefused("-C " + b.dir + " sync") // from outside: a mount that is dead may cover the world
		require.Contains(t, b.run("worldfs", "status"), "gone")
		unchanged()
		b.mount()
		require.Empty(t, b.names("entities"), "the loss waits on")
	}

	pid := b.daemon()
	require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
	b.eventually(func() bool { return syscall.Kill(pid, 0) != nil })
	b.run("git", "checkout", "-q", "--", "entities") // as plain files
	b.run("worldfs", "pack")
	unchanged()
	require.Empty(t, b.run("git", "status", "--porcelain"))
	require.NotContains(t, told(), "deleted")

	b.mount()
	b.run("sh", "-c", "rm -rf entities/*")
	b.run("worldfs", "unmount", "--allow-loss")
	require.Equal(t, n, strings.Count(b.run("git", "status", "--porcelain"), " D entities/"))
	require.Contains(t, b.run("worldfs", "status"), "0 entities")
}

// A branch with hardly anything in it, and back: the game keeps what it had meanwhile.
func TestACheckoutOfASmallBranch(t *testing.T) {
	t.Parallel()
	b, told := lossWorld(t, 300)
	b.run("git", "checkout", "-q", "-b", "small")
	b.run("sh", "-c", "git ls-files entities | tail -n +11 | xargs git rm -q")
	b.run("git", "commit", "-q", "-m", "small")
	for range 2 {
		b.requireRefused("sync")
		require.Empty(t, b.run("git", "status", "--porcelain"))
		b.run("git", "checkout", "-q", "main")
		b.run("worldfs", "sync")
		require.Len(t, b.names("entities"), 300)
		require.Empty(t, b.run("git", "status", "--porcelain"))
		b.run("git", "checkout", "-q", "small")
	}
	require.NotContains(t, told(), `"deleted"`)
	b.run("worldfs", "sync", "--allow-loss")
	b.run("worldfs", "unmount") // after it watch has told all
	b.eventually(func() bool { return strings.HasSuffix(told(), "\n") })
	require.Equal(t, 290, strings.Count(told(), `"event":"deleted"`))
	require.Empty(t, b.run("git", "status", "--porcelain"))
}

// restoreLoss does what the message of a great loss says.
func (b *bench) restoreLoss(args ...string) {
	b.Helper()
	out, code := b.try("worldfs", append(args, "restore")...)
	require.Equal(b, 1, code, out)
	_, after, found := strings.Cut(out, "(worldfs restore ")
	require.True(b, found, out)
	hash, _, _ := strings.Cut(after, ",")
	b.run("worldfs", append(args, "restore", hash)...)
}
