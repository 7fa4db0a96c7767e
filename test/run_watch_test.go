package test

import (
	"net"
	"net/http"
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

// Of games that run at the same time without a mount the first opens the control socket, and
// when that ends another takes it over, at the same place, also from one that was killed.
func TestRunTakesOverTheSocket(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*running){
		"ended": func(r *running) {
			said, status := r.ends()
			require.Zero(r.T, status, said)
		},
		"killed": func(r *running) {
			require.NoError(r.T, r.cmd.Process.Kill())
			_, _ = r.ends()
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := freshClone(t)
			first := b.startsWithoutFUSE()
			second := b.startsBy(b.withoutFUSE(), "second")
			second.hasStarted()
			_, _, socket := second.finds()
			require.Equal(t, b.keptAt(), socket)
			end(first)
			b.eventually(func() bool { // the record comes after the socket
				if _, err := os.Stat(b.path(".worldfs/keeper.json")); err != nil {
					return false
				}
				conn, err := net.Dial("unix", socket)
				return err == nil && conn.Close() == nil
			})
			require.Equal(t, socket, b.keptAt())
			status, _ := callSocket(t, socket, "/v1/ping", "{}", 1)
			require.Equal(t, http.StatusOK, status)
			e := b.engine()
			ids := e.entities(1)
			e.move(ids[0], 1234)
			e.replace(true)
			b.eventually(func() bool { return strings.Contains(b.read(config.entityPath(ids[0].String())), "1266") })
			said, status := second.ends()
			require.Zero(t, status, said)
			require.NoFileExists(t, socket)
		})
	}
}
