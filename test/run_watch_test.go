package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// withoutFUSE returns a command that starts another where nothing can be mounted: root has no
// device, and other users lack the program by which they mount.
func (b *bench) withoutFUSE() []string {
	b.Helper()
	if os.Geteuid() == 0 {
		return []string{"unshare", "--mount", "sh", "-euc", `mount --bind /dev/fuse /dev/fuse
mount -o remount,bind,nodev /dev/fuse
exec "$@"`, "sh"}
	}
	tools := b.beside("tools")
	require.NoError(b, os.MkdirAll(tools, 0o755))
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, _ := os.ReadDir(dir) // one that is not there has no programs
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "fusermount") {
				_ = os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(tools, e.Name())) // the first of a name counts
			}
		}
	}
	return []string{"env", "PATH=" + tools}
}

// startsWithoutFUSE is starts where nothing can be mounted.
func (b *bench) startsWithoutFUSE() *running {
	b.Helper()
	r := b.startsBy(b.withoutFUSE(), "game")
	r.hasStarted()
	return r
}

// Without FUSE the files are watched: while the game runs, what it saves comes into the plain
// files, and what is edited there into the pack that it loads.
func TestRunWithoutFUSEWatches(t *testing.T) {
	for _, shard := range []string{"none", "last-digit"} {
		t.Run(shard, func(t *testing.T) {
			b := freshClone(t)
			in, err := layout.Parse(shard)
			require.NoError(t, err)
			if in != config.layout() {
				b.run("worldfs", "shard", shard)
			}
			r := b.startsWithoutFUSE()
			_, pack, socket := r.finds()
			require.Equal(t, b.path("world.pack"), pack)
			require.Equal(t, b.keptAt(), socket)
			require.False(t, b.mounted())

			e := b.engine()
			ids := e.entities(2)
			e.move(ids[0], 1234)
			e.replace(true)
			text := func(i int) string { return filepath.Join("entities", in.Path(ids[i])) }
			b.eventually(func() bool { return strings.Contains(b.read(text(0)), "1266") })

			before := b.read("world.pack")
			b.write(text(1), regexp.MustCompile(`(position\n    )[^\n]*`).ReplaceAllString(b.read(text(1)), "${1}4321.5"))
			b.eventually(func() bool { return b.read("world.pack") != before })

			said, status := r.ends()
			require.Zero(t, status, said)
			require.Contains(t, said, "the files are watched instead")
			require.Contains(t, said, "in this session: 2 changed")
			require.Contains(t, b.run("worldfs", "show", ids[1].String()), "4321.5")
		})
	}
}
