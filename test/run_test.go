package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// gameScript is a game's editor that says where its world is, and waits until it is told
// that its person has saved.
const gameScript = `printf '%s\n' "$WORLDFS_WORLD" "$WORLDFS_PACK" "$WORLDFS_SOCKET" >env.tmp; mv env.tmp env
until test -e saved; do sleep 0.02; done
rm saved env`

// freshClone returns the bench in a world's fresh clone, which nothing was set up in and
// which has no pack.
func freshClone(t *testing.T) *bench {
	b := newBench(t, "git")
	b.run("git", "init", "-q", "origin")
	b.run("worldfs", "demo", "--entities", "100", "origin/w")
	in := b.cd("origin/w")
	in.run("worldfs", "pack") // within a working copy entities/ has the plain files
	in.run("git", "add", "-A")
	in.run("git", "commit", "-q", "-m", "The world")
	b.run("git", "clone", "-q", "origin", "clone")
	return b.cd("clone/w")
}

// running is a worldfs run whose game has started.
type running struct {
	*bench
	cmd *exec.Cmd
	err bytes.Buffer
}

func (b *bench) starts(args ...string) *running {
	b.Helper()
	r := &running{bench: b, cmd: b.command(binary, append(append([]string{"run"}, args...), "--", "sh", "-c", gameScript)...)}
	r.cmd.Stderr = &r.err
	require.NoError(b, r.cmd.Start())
	b.eventually(func() bool { _, err := os.Stat(b.path("env")); return err == nil })
	return r
}

// ends has the game end, and returns what run said and its exit status.
func (r *running) ends() (string, int) {
	r.Helper()
	r.write("saved", "")
	_ = r.cmd.Wait()
	return r.err.String(), r.cmd.ProcessState.ExitCode()
}

// engineMoves saves the pack with an entity moved, and returns what the world then holds.
func (b *bench) engineMoves() entity.ID {
	b.Helper()
	e := b.engine()
	id := e.entities(1)[0]
	e.move(id, 1234)
	e.replace(true)
	return id
}

func (b *bench) requireMoved(id entity.ID) {
	b.Helper()
	require.Contains(b, b.run("worldfs", "show", id.String()), "1266", "what the game saved is in the world")
}

// In a fresh clone one command is enough, and in that clone the next time as well: what the
// game saves and what is edited in the mount meanwhile are there, and git's setup is as it was.
func TestRunInAFreshCloneAndInAnOldOne(t *testing.T) {
	b := freshClone(t)
	config := b.read("../.git/config")
	for range 2 {
		r := b.starts()
		require.True(t, b.mounted())
		env := strings.Split(b.read("env"), "\n")
		require.Equal(t, []string{b.dir, b.path("world.pack")}, env[:2])
		require.FileExists(t, env[2])
		id := b.engineMoves()
		said, status := r.ends()
		require.Zero(t, status, said)
		require.False(t, b.mounted())
		require.Contains(t, said, "worldfs vcs install\n")
		b.requireMoved(id)
		require.Equal(t, config, b.read("../.git/config"))
		b.run("worldfs", "undo")
	}
}

// The summary counts what the session has changed, and nothing is said where nothing was.
func TestRunSaysWhatTheSessionHasChanged(t *testing.T) {
	b := freshClone(t)
	r := b.starts()
	b.engineMoves()
	said, status := r.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "in this session: 1 changed (1 property, 1 moved)\n")
	require.Contains(t, said, "next: worldfs diff, git add -A, git commit\n")
	said, status = b.starts().ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "nothing has changed in this session")
	said, status = b.starts("-q").ends()
	require.Zero(t, status)
	require.Empty(t, said)
}

func TestRunUsesTheMountThatIsThere(t *testing.T) {
	for name, args := range map[string][]string{"entities": nil, "cover": {"--cover", "."}} {
		t.Run(name, func(t *testing.T) {
			b := freshClone(t)
			b.mount(args...)
			r := b.starts()
			id := b.engineMoves()
			said, status := r.ends()
			require.Zero(t, status, said)
			require.Contains(t, said, "mounted already")
			require.Contains(t, said, "in this session: 1 changed")
			require.True(t, b.mounted())
			b.requireMoved(id)
		})
	}
}

// In the cover shape the game stands in the mount, although run stood beneath it.
func TestRunMountsTheCoverShape(t *testing.T) {
	b := freshClone(t)
	b.write("world.toml", b.read("world.toml")+"\nshape = \"cover\"\n")
	r := b.starts()
	require.True(t, b.mounted())
	id := b.engineMoves()
	said, status := r.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "in this session: 1 changed")
	require.False(t, b.mounted())
	b.requireMoved(id)
}

// What was saved before run was killed is there, and the next run goes on in the mount that
// it left.
func TestRunThatIsKilledLosesNothing(t *testing.T) {
	b := freshClone(t)
	r := b.starts()
	id := b.engineMoves()
	require.NoError(t, r.cmd.Process.Kill())
	b.write("saved", "") // the game goes on without run, and has its standard error
	_ = r.cmd.Wait()
	b.eventually(func() bool { _, err := os.Stat(b.path("env")); return err != nil })
	said, status := b.starts().ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "mounted already")
	b.requireMoved(id)
	b.run("worldfs", "unmount")
}

// What was edited in a mount that crashed is taken up.
func TestRunTakesUpWhatACrashedMountLeft(t *testing.T) {
	b := freshClone(t)
	b.mount()
	id := b.engine().entities(1)[0].String()
	b.run("worldfs", "set", "--where", "id == "+id, "position.x = 4321.5")
	b.kill()
	said, status := b.starts().ends()
	require.Zero(t, status, said)
	require.Contains(t, b.run("worldfs", "show", id), "4321.5")
	require.False(t, b.mounted())
}

func TestRunEndsAsTheGameDoes(t *testing.T) {
	b := freshClone(t)
	b.write("plain.txt", "no program")
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "exit 3": 3, "kill -TERM $$": 143, "kill -KILL $$": 137} {
		out, status := b.try("worldfs", "run", "--", "sh", "-c", script)
		require.Equal(t, want, status, "%s\n%s", script, out)
		require.False(t, b.mounted())
	}
	require.Equal(t, "-q|--json||\n", b.run("worldfs", "run", "sh", "-c", `printf '%s|' "$@"; echo`, "sh", "-q", "--json", ""), "arguments are the game's as they are")
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"--", "no-such-game"}, 127, "is not found"},
		{[]string{"--", "./no-such-game"}, 127, "is not found"},
		{[]string{"--", "./plain.txt"}, 126, "cannot be run"},
		{[]string{"--", "./types"}, 126, "cannot be run"},
		{[]string{"--editor", "sh"}, 2, "worldfs run -- GAME --flag"},
		{nil, 2, "needs a game"},
		{[]string{"--"}, 2, "needs a game"},
		{[]string{"--", ""}, 2, "needs a game"},
	} {
		out, status := b.try("worldfs", append([]string{"run"}, c.args...)...)
		require.Equal(t, c.status, status, "%q\n%s", c.args, out)
		require.Contains(t, out, c.says)
		require.NotContains(t, out, "mounted")
	}
}

// SIGTERM to run ends the game, and what that had saved is settled.
func TestRunPassesSIGTERMOn(t *testing.T) {
	b := freshClone(t)
	r := b.starts()
	id := b.engineMoves()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	_ = r.cmd.Wait()
	require.Equal(t, 128+int(syscall.SIGTERM), r.cmd.ProcessState.ExitCode(), r.err.String())
	require.Contains(t, r.err.String(), "in this session: 1 changed")
	require.False(t, b.mounted())
	b.requireMoved(id)
}

// Without FUSE the game runs on the pack alone, and what it saves is taken in at the end,
// together with what was done to plain files.
func TestRunWithoutFUSE(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take /dev/fuse away")
	}
	b := freshClone(t)
	b.write("game", "test -z \"$WORLDFS_SOCKET\" && cp \"$1\" world.pack.tmp && mv world.pack.tmp \"$WORLDFS_PACK\"")
	b.run("worldfs", "pack")
	e := b.engine()
	id := e.entities(1)[0]
	e.move(id, 1234)
	saved := filepath.Join(b.root, "saved.pack")
	require.NoError(t, os.WriteFile(saved, e.encode(true), 0o644))
	out, status := b.try("unshare", "--mount", "sh", "-euc", `mount --bind /dev/fuse /dev/fuse
mount -o remount,bind,nodev /dev/fuse
"$0" run -- sh game "$1" 2>&1`, binary, saved)
	require.Zero(t, status, out)
	b.requireMoved(id)
	require.Contains(t, b.run("git", "status", "--short"), " M "+"entities/", "the plain files are in step")
}

// A world that can only be read has no mount; a game can load its pack, where there is one.
func TestRunOnAReadOnlyWorld(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a directory read-only")
	}
	b := freshClone(t)
	readOnly := func(script string) (string, int) {
		return b.try("unshare", "--mount", "sh", "-euc", `mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
cd "$1"
"$0" run -- sh -c "$2" 2>&1`, binary, b.dir, script)
	}
	out, status := readOnly("echo started; exit 5")
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "there is no pack that the game could load")
	require.NotContains(t, out, "started")
	b.run("worldfs", "pack")
	out, status = readOnly(`test -r "$WORLDFS_PACK" && echo started; exit 5`)
	require.Equal(t, 5, status, out)
	require.Contains(t, out, "started")
}

// A world with a text that does not parse, and with a conflict, can be worked on.
func TestRunNamesWhatIsWrongAndGoesOn(t *testing.T) {
	b := freshClone(t)
	b.run("worldfs", "pack")
	id := b.engine().entities(1)[0].String()
	name := config.entityPath(id)
	text := b.read(name)
	b.write(name, "what is this\n")
	r := b.starts()
	said, status := r.ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "the text is cut off")
	require.Contains(t, said, "worldfs undo "+id)
	b.write(name, "<<<<<<< ours\n"+text+"=======\n"+text+">>>>>>> theirs\n")
	said, status = b.starts().ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "worldfs resolve")
}

// On a terminal run asks before it touches git's setup; a no is remembered.
func TestRunAsksBeforeItSetsUpGit(t *testing.T) {
	b := freshClone(t)
	config := b.read("../.git/config")
	tty := b.onTerminal("run", "--", "sh", "-c", "read typed; echo the game has $typed")
	tty.expect("[y/N] ")
	tty.press("\r")
	tty.expect("not asked again here")
	tty.press("ahead\r")
	tty.expect("the game has ahead")
	require.Zero(t, tty.end())
	require.Equal(t, config, b.read("../.git/config"))

	tty = b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
	require.NotContains(t, tty.shown.String(), "[y/N]")

	b.run("rm", "-rf", ".worldfs")
	tty = b.onTerminal("run", "--", "echo", "the game runs")
	tty.expect("[y/N] ")
	tty.press("y\r")
	tty.expect("the game runs")
	require.Zero(t, tty.end())
	require.Contains(t, b.read("../.git/config"), "worldfs")
}
