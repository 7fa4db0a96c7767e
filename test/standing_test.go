package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shapes are those of a mount, and where in each a shell may stand.
var shapes = map[string][]string{
	"entities": {"entities"},
	"cover":    {".", "entities", "types"},
}

// inShapes runs a test in a world of twenty entities in git, mounted in each shape.
func inShapes(t *testing.T, do func(t *testing.T, b *bench, shape string)) {
	for shape := range shapes {
		t.Run(shape, func(t *testing.T) {
			b := small(t, "bash", "sleep")
			b.run("worldfs", "mount", "--shape", shape)
			b.Cleanup(func() {
				if b.mounted() {
					b.run("worldfs", "unmount")
				}
			})
			do(t, b, shape)
		})
	}
}

// A person who stands in the mount unmounts it, goes on to see what is there, can
// change nothing, and enters the plain files by "cd .".
func TestUnmountByAShellThatStandsInTheMount(t *testing.T) {
	t.Parallel()
	inShapes(t, func(t *testing.T, b *bench, shape string) {
		for _, stand := range shapes[shape] {
			if !b.mounted() {
				b.run("worldfs", "mount", "--shape", shape)
			}
			pid := b.record().Pid
			name := b.names("entities")[0]
			b.write("entities/notes", "mine")
			out := b.run("bash", "-c", `cd "$1" || exit
				printf "\r\n" >>"$3/entities/$2"
				"$0" unmount 2>&1 || exit
				echo "-- gone on"
				ls >/dev/null || exit
				[ ! -e $2 ] || tail -c 2 $2 | od -c | head -1
				echo x >x; mkdir y; rm $2
				"$0" status 2>&1
				echo "-- entered"
				cd . && git status --porcelain && echo x >x && rm x && "$0" status`,
				binary, stand, name, b.dir)
			before, rest, _ := strings.Cut(out, "-- gone on\n")
			during, after, _ := strings.Cut(rest, "-- entered\n")
			require.Regexp(t, `^unmounted; .*world.pack is whole\n(.* is in .*\n)*you stand in `+
				filepath.Join(b.dir, stand)+` as it was, which is read-only now: cd \.\n$`, before)
			if stand == "entities" {
				require.Contains(t, during, `\r`)
			}
			require.Contains(t, during, "enter it anew: cd .")
			require.Contains(t, after, " M entities/"+name+"\n")
			require.Contains(t, after, "not mounted")
			require.True(t, strings.HasSuffix(b.read("entities/"+name), "\r\n"))
			require.Equal(t, "mine", b.read("entities/notes"))
			b.ended(pid)
			require.Empty(t, b.run("worldfs", "check"))
			b.run("git", "checkout", "-q", ".")
			b.run("git", "clean", "-fdq")
		}
	})
}

// stand starts a shell that stands in a directory of the world, and returns it when it
// does.
func (b *bench) stand(dir string) *shell {
	b.Helper()
	s := b.shell()
	require.Empty(b, s.does("cd "+b.path(dir)))
	return s
}

// The world can be mounted again at once, while shells stand in what is left of earlier
// mounts; nothing that these do reaches the world, and their daemons end with them.
func TestTheNextMountNeedNotWaitForThoseWhoStand(t *testing.T) {
	t.Parallel()
	inShapes(t, func(t *testing.T, b *bench, shape string) {
		var standing []*shell
		var pids []int
		name := b.names("entities")[0]
		for i := range 3 {
			if i > 0 {
				b.run("worldfs", "mount", "--shape", shape)
			}
			pids = append(pids, b.record().Pid)
			b.edit("entities/"+name, "\r\n")
			b.write("entities/notes"+strconv.Itoa(i), "mine")
			standing = append(standing, b.stand("entities"))
			b.run("worldfs", "-C", b.dir, "unmount")
			require.False(t, b.mounted())
		}
		b.run("worldfs", "mount", "--shape", shape)
		before := b.contents()
		for i, s := range standing {
			require.NoError(t, syscall.Kill(pids[i], 0), "it serves on")
			require.Contains(t, s.does("ls"), firstPart(name))
			require.Contains(t, s.does("echo x >>"+name), "Read-only file system")
			require.Contains(t, s.does("rm -r *"), "Read-only file system")
			require.Contains(t, s.does("touch -d 2001-01-01 ."), "Read-only file system")
		}
		require.Equal(t, before, b.contents())
		require.Contains(t, b.run("worldfs", "status"), "by process")
		require.Empty(t, standing[0].does("cd . && echo x >x && rm x"), "it is in the mount")
		for _, s := range standing {
			s.leaves()
		}
		for _, pid := range pids {
			b.ended(pid)
		}
		b.run("worldfs", "unmount")
		require.Equal(t, before, b.contents())
	})
}

// kill -9 of what serves those who stand loses nothing: it has nothing.
func TestKilledWhileServingThoseWhoStand(t *testing.T) {
	t.Parallel()
	inShapes(t, func(t *testing.T, b *bench, shape string) {
		pid := b.record().Pid
		name := b.names("entities")[0]
		b.write("entities/"+name, b.read("entities/"+name)+"\r\n")
		s := b.stand("entities")
		b.run("worldfs", "-C", b.dir, "unmount")
		before := b.contents()
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		b.ended(pid)
		require.Regexp(t, "not connected|connection abort", s.does("ls"))
		require.Contains(t, s.does("cd . && ls"), firstPart(name))
		require.Equal(t, before, b.contents())
		require.Contains(t, b.run("worldfs", "status"), "not mounted")
		s.leaves()
	})
}

// Signals end a mount in which shells stand as they end any other. SIGTERM, by which a
// machine goes down, does not wait for them.
func TestSignalsWhileShellsStand(t *testing.T) {
	t.Parallel()
	inShapes(t, func(t *testing.T, b *bench, shape string) {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			if !b.mounted() {
				b.run("worldfs", "mount", "--shape", shape)
			}
			pid := b.record().Pid
			name := b.names("entities")[0]
			text := b.read("entities/"+name) + "\r\n"
			b.write("entities/"+name, text)
			s := b.stand("entities")
			require.NoError(t, syscall.Kill(pid, signal))
			b.eventually(func() bool {
				_, err := os.Lstat(b.path(".worldfs/daemon.json"))
				return os.IsNotExist(err) && !b.mounted()
			})
			if signal == syscall.SIGINT {
				require.Contains(t, s.does("ls"), firstPart(name))
				require.NoError(t, syscall.Kill(pid, signal), "once more it waits no longer")
			}
			b.ended(pid)
			require.Equal(t, text, b.read("entities/"+name))
			require.Contains(t, s.does("cd . && ls"), firstPart(name))
			s.leaves()
		}
	})
}

// Where a process has a file open or mapped, nothing happens, whoever stands there
// besides, and whether it can be looked at: by another user, it cannot.
func TestUnmountIsRefusedWhileAFileIsOpen(t *testing.T) {
	t.Parallel()
	inShapes(t, func(t *testing.T, b *bench, shape string) {
		name := b.names("entities")[0]
		stands, opens := b.stand("entities"), b.stand("entities")
		require.Empty(t, opens.does("exec 9>>"+name))
		out, code := b.try("worldfs", "-C", b.dir, "unmount")
		require.Equal(t, 3, code, out)
		require.Regexp(t, `bash \(process `+strconv.Itoa(opens.cmd.Process.Pid)+`\) has open .*`+name, out)
		require.NotContains(t, out, "(process "+strconv.Itoa(stands.cmd.Process.Pid)+")", "it is in nobody's way")
		require.Empty(t, opens.does(`printf '\r\n' >&9`))
		require.Empty(t, stands.does("echo x >>notes"))
		require.Empty(t, opens.does("exec 9>&-"))
		b.run("worldfs", "-C", b.dir, "unmount")
		require.True(t, strings.HasSuffix(b.read("entities/"+name), "\r\n"))
		require.Equal(t, "x\n", b.read("entities/notes"))
		stands.leaves()
		opens.leaves()
	})
}

// A mount that another namespace has as well is no reason to wait.
func TestUnmountOfWhatAnotherNamespaceHas(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root makes namespaces of mounts")
	}
	inShapes(t, func(t *testing.T, b *bench, shape string) {
		pid := b.record().Pid
		name := b.names("entities")[0]
		text := b.read("entities/" + name)
		s := b.shell("unshare", "-m", "bash")
		require.Empty(t, s.does("cd "+b.path("entities")+" && exec 9>>"+name+` && printf '\r\n' >&9`))
		b.run("worldfs", "-C", b.dir, "unmount")
		require.Equal(t, text+"\r\n", b.read("entities/"+name))
		require.Contains(t, s.does("printf x >&9"), "Read-only file system")
		require.Contains(t, s.does("ls"), firstPart(name))
		b.run("worldfs", "mount", "--shape", shape)
		require.Equal(t, text+"\r\n", b.read("entities/"+name))
		s.leaves()
		b.ended(pid)
	})
}

// What was written with success is there after an unmount that came amid the writing,
// by processes that stand in the mount.
func TestUnmountAmidWriting(t *testing.T) {
	t.Parallel()
	inShapes(t, func(t *testing.T, b *bench, shape string) {
		const writers = 3
		names := b.names("entities")
		var shells []*shell
		for i := range writers {
			s := b.stand("entities")
			s.begins(fmt.Sprintf(`i=0; while i=$((i+1)); printf '%%s' "$i" 2>/dev/null >%s.new && mv %[1]s.new %[1]s 2>/dev/null; do n=$i; sleep 0.00$((i%%7)); done; echo "wrote $n"`, names[i]))
			shells = append(shells, s)
		}
		for start := time.Now(); ; {
			_, code := b.try("worldfs", "-C", b.dir, "unmount")
			if code == 0 {
				break
			}
			require.Less(t, time.Since(start), time.Minute)
		}
		for i, s := range shells {
			require.Equal(t, "wrote "+b.read("entities/"+names[i]), s.says(), names[i])
			s.leaves()
		}
	})
}

// firstPart returns what a listing of the directory shows of a path in it.
func firstPart(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}
