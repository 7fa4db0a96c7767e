package test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cloned repository can bring a symlink in any place that worldfs opens by
// name. Whatever is done in such a world, nothing that a link leads to is read
// as the world's, changed, or made.
func TestNoLinkInAWorldLeadsOut(t *testing.T) {
	t.Parallel()
	const door = `{"type":{"name":"Door","fields":[{"name":"x","kind":"f32"}]}}
{"type":{"name":"Other","fields":[{"name":"y","kind":"f32"}]}}
{"entity":{"id":6005,"type":"Door","fields":{"x":7}}}
{"entity":{"id":6006,"type":"Other","fields":{"y":8}}}
`
	for _, at := range []string{
		"world.toml", "types", "types/Door.toml", "types/Other.toml", "id_ranges", "entities", "entities/6005.entity_text",
		"entities/5", "entities/5/6005.entity_text", "entities/.worldfs-staging", "entities/NOT-MOUNTED.txt",
		"world.pack", "ship.pack", "ship.pack.map", ".worldfs", ".gitignore", ".hgignore",
	} {
		for _, target := range someOf(t, []string{"a file", "a directory", "an empty directory", "nothing"}, at) {
			t.Run(at+" to "+target, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, "git")
				b.write("door.jsonl", door)
				require.NoError(t, os.MkdirAll(b.path("outside/dir/5"), 0o755))
				require.NoError(t, os.Mkdir(b.path("outside/empty"), 0o755))
				for _, name := range []string{"file", "dir/Door.toml", "dir/6005.entity_text", "dir/5/6005.entity_text", "dir/other"} {
					b.write("outside/"+name, "Door\n1\n6005\n; x\n    99.000000\n")
				}
				b.run("worldfs", "init", "--plain", "w")
				w := b.cd("w")
				require.NoError(t, os.RemoveAll(w.path(at)))
				require.NoError(t, os.MkdirAll(filepath.Dir(w.path(at)), 0o755))
				to := map[string]string{"a file": "file", "a directory": "dir", "an empty directory": "empty", "nothing": "missing"}[target]
				require.NoError(t, os.Symlink(b.path("outside/"+to), w.path(at)))
				before := b.outside()
				for _, args := range [][]string{
					{"import", "../door.jsonl"}, {"status"}, {"fmt"}, {"pack"}, {"pack", "--ship"}, {"init", "--ignores"},
					{"mount"}, {"import", "../door.jsonl"}, {"unmount"}, {"shard", "last-digit"}, {"unpack"}, {"shard", "none"}, {"sync"},
				} {
					out, code := w.try(binary, args...)
					require.Contains(t, []int{0, 1, 3}, code, "%v: %s", args, out)
					require.NotContains(t, out, "panic")
				}
				require.Equal(t, before, b.outside())
				w.try("worldfs", "export", "-o", "../export.jsonl")
				if data, err := os.ReadFile(b.path("export.jsonl")); err == nil {
					require.NotContains(t, string(data), `"x":99`)
				}
			})
		}
	}
}

// A checkout beneath a mount can put a link in the place of types/.
func TestTypesThatBecomeALinkAreNotFollowed(t *testing.T) {
	b := mountedDemo(t, 20)
	require.NoError(t, os.Mkdir(b.path("../outside"), 0o755))
	b.run("sh", "-c", "mv types ../types && ln -s ../outside types")
	b.write("../new.jsonl", `{"type":{"name":"New"}}`+"\n")
	out, code := b.try("worldfs", "import", "../new.jsonl")
	require.Equal(t, 3, code)
	require.Contains(t, out, "symlinks are not followed")
	out, code = b.try("worldfs", "check")
	require.Equal(t, 1, code)
	require.Contains(t, out, "types: ")
	require.Empty(t, b.names("../outside"))
	b.run("sh", "-c", "rm types && mv ../types types")
	require.Empty(t, b.run("worldfs", "check"))
}

// outside returns what is in outside/, with its times.
func (b *bench) outside() string {
	b.Helper()
	return b.run("sh", "-c", "find outside -printf '%p %s %m %T@\n' | sort; find outside -type f -exec cat {} +")
}
