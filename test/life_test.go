package test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// small makes a world of twenty entities in git, with plain files whatever the
// settings, and returns the bench in it.
func small(t *testing.T, tools ...string) *bench {
	b := newBench(t, append(tools, "git")...)
	b.env = append(b.env, "WORLDFS_PLAIN=true")
	b.run("worldfs", "demo", "--entities", "20", "w")
	b = b.cd("w")
	b.run("git", "init", "-q")
	b.run("worldfs", "sync")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-qm", "The world")
	require.Len(t, b.names("entities"), 20)
	return b
}

type daemonRecord struct {
	Socket string
	Pid    int
	Mount  string
}

func (b *bench) record() (r daemonRecord) {
	b.Helper()
	require.NoError(b, json.Unmarshal([]byte(b.read(".worldfs/daemon.json")), &r))
	return r
}

// kill kills the world's daemon and returns when it has ended.
func (b *bench) kill() daemonRecord {
	b.Helper()
	r := b.record()
	require.NoError(b, syscall.Kill(r.Pid, syscall.SIGKILL))
	b.ended(r.Pid)
	return r
}

// ended waits until a process that was killed does nothing any more. It may not
// be gone: where it waits in the kernel for one that waits for it, some command
// has to end its mount.
func (b *bench) ended(pid int) {
	b.Helper()
	require.Eventually(b, func() bool {
		status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
		return err != nil || strings.Contains(string(status), "\nState:\tZ") || waitsForEver.Match(status)
	}, time.Minute, 5*time.Millisecond)
}

// waitsForEver is what is said of a process that was killed and whose last
// thread, the first one, waits in the kernel.
var waitsForEver = regexp.MustCompile(`(?s)\nState:\tD.*\nThreads:\t1\n.*\nSigPnd:\t[0-9a-f]*[13579bdf][0-9a-f]{2}\n`)

// edit has an entity's text say something new, durably.
func (b *bench) edit(name, text string) {
	b.Helper()
	b.run("sh", "-c", "printf '%s' \"$1\" >> \"$2\" && sync \"$2\"", "sh", text, name)
}

func TestEveryCommandCleansUpAfterAKilledDaemon(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"status", "unmount", "mount", "export -o ../out.jsonl"} {
		t.Run(command, func(t *testing.T) {
			b := small(t)
			b.mount()
			name := "entities/" + b.names("entities")[0]
			b.edit(name, "\r\n")
			want := b.read(name)
			b.write("entities/notes", "mine")
			b.run("sync", "entities/notes")
			r := b.kill()
			b.run("worldfs", strings.Fields(command)...)
			require.Equal(t, command == "mount", b.mounted())
			if command != "mount" {
				require.Len(t, b.names("entities"), 21)
				require.NoFileExists(t, r.Socket)
				require.NoFileExists(t, strings.TrimSuffix(r.Socket, ".sock")+".json")
			}
			require.Equal(t, want, b.read(name))
			require.Equal(t, "mine", b.read("entities/notes"))
		})
	}
}

func TestAMountedWorldIsNotMountedAgain(t *testing.T) {
	t.Parallel()
	b := small(t)
	b.mount()
	r := b.record()
	require.Contains(t, b.run("worldfs", "mount"), "mounted already at "+r.Mount+" (process "+strconv.Itoa(r.Pid)+")")
	out, code := b.try("worldfs", "mount", "--foreground")
	require.Equal(t, 3, code)
	require.Contains(t, out, "at "+r.Mount+" by process "+strconv.Itoa(r.Pid))
	require.Equal(t, r, b.record())
	require.Len(t, b.names("entities"), 20)
}

func TestTwoClonesAreMountedSideBySide(t *testing.T) {
	t.Parallel()
	b := small(t)
	up := b.cd("..")
	up.run("git", "clone", "-q", "w", "clone")
	c := up.cd("clone")
	b.mount()
	c.mount()
	require.NotEqual(t, b.record().Socket, c.record().Socket)
	name := "entities/" + b.names("entities")[0]
	b.edit(name, "\r\n")
	require.NotEqual(t, b.read(name), c.read(name))
	require.Contains(t, c.run("worldfs", "status"), c.dir)
}

// A daemon that was killed leaves a socket that nobody asks for any more when
// its world is deleted: the next daemon sweeps it away.
func TestSocketsOfDeletedWorldsAreSweptAway(t *testing.T) {
	b := small(t)
	b.mount()
	r := b.kill()
	up := b.cd("..")
	up.run("umount", "-l", r.Mount)
	require.NoError(t, os.RemoveAll(b.dir))
	require.FileExists(t, r.Socket)
	up.run("worldfs", "demo", "--entities", "5", "other")
	up.cd("other").mount()
	require.NoFileExists(t, r.Socket)
	require.NoFileExists(t, strings.TrimSuffix(r.Socket, ".sock")+".json")
}

// On a branch without the world its world.toml is gone; the mounted world is
// found all the same.
func TestAMountedWorldIsFoundWithoutItsMarker(t *testing.T) {
	t.Parallel()
	b := small(t)
	b.mount()
	b.run("git", "switch", "-q", "--orphan", "empty")
	b.run("git", "commit", "-q", "--allow-empty", "-m", "Nothing")
	require.NoFileExists(t, b.path("world.toml"))
	require.Contains(t, b.run("worldfs", "status"), b.dir)
	if !config.cover() { // there git takes entities away, as in a plain directory
		require.Contains(t, b.cd("entities").run("worldfs", "status"), b.dir)
		require.Empty(t, b.names("entities"))
	}
	b.run("git", "switch", "-q", "main")
	require.Len(t, b.names("entities"), 20)
	b.run("git", "switch", "-q", "empty")
	out, code := b.try("worldfs", "unmount")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "20 of the 20 entities in world.pack are gone")
	b.run("worldfs", "unmount", "--allow-loss")
	b.run("git", "switch", "-q", "main")
	require.Len(t, b.names("entities"), 20)
	require.Empty(t, b.run("worldfs", "check"))
	require.Empty(t, b.run("git", "status", "--porcelain"))
}

// Whoever clears the world directory of all that is local takes nothing that
// matters, and the daemon puts back what belongs there.
func TestRemovingTheLocalStateLosesNothing(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"git clean -fdxq", "rm -rf .worldfs world.pack", "rm -f .worldfs/state.db .worldfs/lock"} {
		t.Run(command, func(t *testing.T) {
			b := small(t)
			b.write("entities/notes", "mine")
			b.run("git", "add", "-A")
			b.run("git", "commit", "-qm", "Notes")
			b.mount()
			names := b.names("entities")
			b.edit("entities/"+names[0], "\r\n")
			b.write("entities/notes", "mine, too")
			b.run("worldfs", "set", "--where", "id == 6555", "position.z = position.z * 2")
			before, record, past := b.contents(), b.record(), b.run("worldfs", "history", "6555")
			require.NotEmpty(t, past)
			remove := func() bool {
				_, code := b.try("sh", "-c", command)
				return code == 0
			}
			if config.cover() { // there whoever tries is told that it cannot be
				require.False(t, remove())
			} else {
				b.eventually(remove) // something may be written into it just then
			}
			require.Contains(t, b.run("worldfs", "status"), strconv.Itoa(record.Pid), "commands find the daemon")
			b.edit("entities/"+names[1], "\r\n")
			before["entities/"+names[1]] += "\r\n"
			b.eventually(func() bool {
				for _, name := range []string{"state.db", "lock", "daemon.json", "log", "packs"} {
					if _, err := os.Stat(b.path(".worldfs/" + name)); err != nil {
						return false
					}
				}
				_, err := os.Stat(b.path("world.pack"))
				return err == nil
			})
			require.Equal(t, record, b.record())
			require.Contains(t, b.run("worldfs", "mount"), "mounted already")
			require.Equal(t, before, b.contents())
			require.Equal(t, past, b.run("worldfs", "history", "6555"))

			b.run("worldfs", "sync")
			b.kill() // what the new state.db has is all there is
			b.run("worldfs", "status")
			require.Equal(t, before, b.contents())
			b.mount()
			require.Equal(t, before, b.contents())
			require.Equal(t, past, b.run("worldfs", "history", "6555"))
			b.run("worldfs", "unmount")
			require.Equal(t, before, b.contents())
		})
	}
}

// The log of state.db is written for as long as there is a mount: without a name it
// would be lost with the daemon.
func TestALogThatIsRemovedIsPutBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "20", "w")
	b = b.cd("w")
	b.mount()
	names := b.names("entities")
	want := make(map[string]string)
	save := func(name string) {
		want[name] = strings.Replace(b.read(name), "\n", "\r\n", 1)
		require.NoError(t, b.save(name, want[name]))
	}
	save("entities/" + names[0])
	if _, code := b.try("rm", ".worldfs/state.wal"); config.cover() {
		require.NotZero(t, code, "there nobody gets at it")
		return
	}
	save("entities/" + names[1])
	b.eventually(func() bool {
		save("entities/" + names[2])
		_, err := os.Stat(b.path(".worldfs/state.wal"))
		return err == nil
	})
	save("entities/" + names[3])
	b.kill()
	b.mount()
	for name, text := range want {
		require.Equal(t, text, b.read(name))
	}
}

// Whoever stood in entities/ before the mount goes on in the plain files, which
// are aside. What is saved there comes in when the mount ends, beside what
// changed in the mount.
func TestWhatIsSavedAsideIsTakenIn(t *testing.T) {
	t.Parallel()
	b := small(t)
	b.Cleanup(func() {
		if b.mounted() {
			b.run("worldfs", "unmount")
		}
	})
	names := b.names("entities")
	there := b.path("entities")
	b.run("sh", "-euc", `cd entities && "$0" -C .. mount 2>&1
		printf '\r\n' >>"$1" && printf 'mine' >notes && sed 3s/.*/4000000/ "$1" >"$5"
		printf '\r\n' >>"$3/$2" && rm "$3/$4"
		! test -e "$3/notes" && cd . && ! test -e notes`, binary, names[0], names[1], there, names[2], strings.TrimPrefix(config.entityPath("4000000"), "entities/"))
	b.run("worldfs", "unmount")
	require.True(t, strings.HasSuffix(b.read("entities/"+names[0]), "\n\r\n"))
	require.True(t, strings.HasSuffix(b.read("entities/"+names[1]), "\n\r\n"))
	require.NoFileExists(t, b.path("entities/"+names[2]))
	require.Equal(t, "mine", b.read("entities/notes"))
	require.Contains(t, b.run("worldfs", "ls"), "4000000 ")
	before := b.contents()
	b.mount()
	require.Equal(t, before, b.contents())
}

// contents returns the bytes of every file in entities/.
func (b *bench) contents() map[string]string {
	b.Helper()
	all := make(map[string]string)
	for _, name := range b.names("entities") {
		all["entities/"+name] = b.read("entities/" + name)
	}
	return all
}

func (b *bench) eventually(condition func() bool) {
	b.Helper()
	require.Eventually(b, condition, time.Minute, 10*time.Millisecond)
}

func TestABusyUnmountNamesTheHolders(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"entities", "cover"} {
		t.Run(shape, func(t *testing.T) {
			b := small(t, "python3", "sleep")
			b.run("worldfs", "mount", "--shape", shape)
			b.Cleanup(func() { b.run("worldfs", "-C", b.dir, "unmount") })
			name := b.names("entities")[0]

			script := `import mmap, os, sys, time
f = os.open(sys.argv[2], os.O_RDWR)
if sys.argv[1] == "map":
    m = mmap.mmap(f, 0); os.closerange(3, 100)
print("ready", flush=True); sys.stdin.read()`
			for how, says := range map[string]string{"open": "has open", "map": "has mapped"} {
				cmd := exec.Command("python3", "-c", script, how, b.path("entities/"+name))
				in, err := cmd.StdinPipe()
				require.NoError(t, err)
				ready, err := cmd.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, cmd.Start())
				defer cmd.Process.Kill()
				_, err = bufio.NewReader(ready).ReadString('\n')
				require.NoError(t, err)
				out, code := b.cd("..").try("worldfs", "-C", b.dir, "unmount")
				require.Equal(t, 3, code)
				require.Regexp(t, `python3\S* \(process `+strconv.Itoa(cmd.Process.Pid)+`\) `+says+` `+b.path("entities/"+name), out)
				require.Contains(t, out, "close it there and try again")
				require.NoError(t, in.Close())
				require.NoError(t, cmd.Wait())
			}
		})
	}
}
