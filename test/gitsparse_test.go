package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sparse checkout takes entities out of the world. status says so, a merge keeps them as git
// has them, and they come back.
func TestASparseCheckout(t *testing.T) {
	b := resolveWorld(t, "plain")
	b.differ()
	b.run("git", "sparse-checkout", "set", "--no-cone", "/*", "!/entities/**/1*.entity_text")
	status := b.run("worldfs", "status")
	require.Contains(t, status, "git's checkout is sparse, and leaves")
	require.Contains(t, status, "[git sparse-checkout disable]")
	b.try("git", "merge", "-q", "bob")
	b.left()
	b.run("worldfs", "resolve", "--take", "mine")
	b.run("git", "commit", "-q", "-m", "merged")
	require.Empty(t, b.run("git", "diff", "--name-only", "--diff-filter=D", "ann", "HEAD"))
	require.Contains(t, b.run("worldfs", "vcs", "sync"), "nothing to tell")

	b.run("git", "sparse-checkout", "disable")
	require.NotContains(t, b.run("worldfs", "status"), "git's checkout is sparse")
	require.Empty(t, b.run("git", "status", "--porcelain"))
	for _, id := range []string{"1002", "10000"} {
		b.run("worldfs", "show", id)
	}
}

// Where the checkout leaves world.toml out, too, the world is named that is left out, and the
// command that brings it; and no other is made in its place.
func TestASparseCheckoutWithoutTheWorld(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"--cone", "--no-cone"} {
		t.Run(mode, func(t *testing.T) {
			world := resolveWorld(t, "below")
			top := world.cd("../..")
			top.run("mkdir", "src")
			top.write("src/main.c", "int main() {}\n")
			top.run("git", "add", "-A")
			top.run("git", "commit", "-q", "-m", "source")
			top.run("git", "sparse-checkout", "set", mode, "src")
			top.run("mkdir", "-p", world.dir) // a cone takes away all that was in it
			for _, from := range []*bench{world, top} {
				for _, command := range []string{"status", "resolve", "pull", "incoming", "diff"} {
					said, code := from.try("worldfs", command)
					require.NotZero(t, code)
					require.NotContains(t, said, "this is no world directory")
					require.Contains(t, said, world.dir+" is a world directory, but git's checkout is sparse, and leaves its world.toml out: git ")
				}
			}
			said, code := top.cd("src").try("worldfs", "status")
			require.NotZero(t, code)
			require.Contains(t, said, "this is no world directory")
			said, code = world.try("worldfs", "init")
			require.NotZero(t, code)
			require.Contains(t, said, "sparse-checkout add")
			require.NoFileExists(t, world.path("world.toml"))
			top.run("worldfs", "init", "other")

			_, brings, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(said), " brings it"), "out: ")
			world.run("sh", "-c", brings)
			require.Contains(t, world.run("worldfs", "show", "6555"), "Door")
			require.Empty(t, top.run("git", "status", "--porcelain", "game"))
		})
	}
}
