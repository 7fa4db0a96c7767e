package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// gameScript is a game's editor, called $1, that says where its world is, and waits until it
// is told that its person has saved.
const gameScript = `printf '%s\n' "$WORLDFS_WORLD" "$WORLDFS_PACK" "$WORLDFS_SOCKET" >$1.tmp; mv $1.tmp $1
until test -e $1.saved; do sleep 0.02; done
rm $1.saved $1`

// freshClone returns the bench in a world's fresh clone, which nothing was set up in and
// which has no pack.
func freshClone(t *testing.T) *bench {
	t.Helper()
	if config["plain"] == "false" {
		t.Skip("a clone has no entities where git has none")
	}
	b := newBench(t, "git")
	b.run("git", "init", "-q", "origin")
	b.run("worldfs", "demo", "--entities", "120", "origin/w")
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
	game string // what it is called
	cmd  *exec.Cmd
	err  bytes.Buffer
}

// starts starts a game by run with these flags, and returns once it has started.
func (b *bench) starts(args ...string) *running {
	b.Helper()
	r := b.startsAs("game", args...)
	r.hasStarted()
	return r
}

// startsAs is starts that names the game, and does not wait for it.
func (b *bench) startsAs(game string, args ...string) *running {
	b.Helper()
	return b.startsBy(nil, game, args...)
}

// startsBy is startsAs by a command that starts another.
func (b *bench) startsBy(command []string, game string, args ...string) *running {
	b.Helper()
	command = slices.Concat(command, []string{binary, "run"}, args, []string{"--", "sh", "-c", gameScript, "sh", b.beside(game)})
	r := &running{bench: b, game: game, cmd: b.command(command[0], command[1:]...)}
	r.cmd.Stderr = &r.err
	require.NoError(b, r.cmd.Start())
	b.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		_ = r.lets() // of a test that has failed: the game ends, too
	})
	return r
}

// beside returns the path of a file that is in no world.
func (b *bench) beside(name string) string { return filepath.Join(b.root, name) }

func (r *running) hasStarted() {
	r.Helper()
	r.eventually(func() bool { _, err := os.Stat(r.beside(r.game)); return err == nil })
}

// finds returns what the game has found in its environment.
func (r *running) finds() (world, pack, socket string) {
	r.Helper()
	data, err := os.ReadFile(r.beside(r.game))
	require.NoError(r, err)
	lines := strings.Split(string(data), "\n")
	return lines[0], lines[1], lines[2]
}

// lets has the game end.
func (r *running) lets() error { return os.WriteFile(r.beside(r.game+".saved"), nil, 0o644) }

// ends has the game end, and returns what run said and its exit status.
func (r *running) ends() (string, int) {
	r.Helper()
	require.NoError(r, r.lets())
	return r.hasEnded()
}

func (r *running) hasEnded() (string, int) {
	r.Helper()
	if err := r.wait(r.cmd); err != nil {
		require.NotNil(r, r.cmd.ProcessState, err)
	}
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
	t.Parallel()
	b := freshClone(t)
	config := b.read("../.git/config")
	for range 2 {
		r := b.starts()
		require.True(t, b.mounted())
		world, pack, socket := r.finds()
		require.Equal(t, []string{b.dir, b.path("world.pack")}, []string{world, pack})
		require.FileExists(t, socket)
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
// it left, and ends it.
func TestRunThatIsKilledLosesNothing(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	r := b.starts()
	id := b.engineMoves()
	require.NoError(t, r.cmd.Process.Kill())
	require.NoError(t, os.WriteFile(b.beside("game.saved"), nil, 0o644)) // the game goes on without run, and has its standard error
	_ = r.cmd.Wait()
	b.eventually(func() bool { _, err := os.Stat(b.beside("game")); return err != nil })
	said, status := b.starts().ends()
	require.Zero(t, status, said)
	require.Contains(t, said, "mounted already")
	require.False(t, b.mounted())
	b.requireMoved(id)
}

// What was edited in a mount that crashed is taken up.
func TestRunTakesUpWhatACrashedMountLeft(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// Without FUSE, what a game saves that ends at once is taken in as well, and the plain files
// are in step with it.
func TestRunWithoutFUSE(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.write("game", "test -S \"$WORLDFS_SOCKET\" && test -f \"$WORLDFS_CONTROL\" && cp \"$1\" world.pack.tmp && mv world.pack.tmp \"$WORLDFS_PACK\"")
	b.run("worldfs", "pack")
	e := b.engine()
	id := e.entities(1)[0]
	e.move(id, 1234)
	saved := b.beside("saved.pack")
	require.NoError(t, os.WriteFile(saved, e.encode(true), 0o644))
	command := slices.Concat(b.withoutFUSE(), []string{binary, "run", "--", "sh", "game", saved})
	out, status := b.try(command[0], command[1:]...)
	require.Zero(t, status, out)
	b.requireMoved(id)
	require.Contains(t, b.run("git", "status", "--short"), " M "+"entities/", "the plain files are in step")
}

// closed returns the bench in its world where that cannot be written to until the test ends.
func (b *bench) closed() *bench {
	b.Helper()
	if os.Geteuid() == 0 {
		return b.cd("..").readOnly(filepath.Base(b.dir))
	}
	b.run("chmod", "-R", "a-w", ".")
	b.Cleanup(func() { b.run("chmod", "-R", "u+w", ".") })
	return b
}

// A world that can only be read has no mount; a game can load its pack, where there is one.
func TestRunOnAReadOnlyWorld(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	out, status := b.closed().try("worldfs", "run", "--", "sh", "-c", "echo started; exit 5")
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "there is no pack that the game could load")
	require.NotContains(t, out, "started")

	b = freshClone(t)
	b.run("worldfs", "pack")
	out, status = b.closed().try("worldfs", "run", "--", "sh", "-c", `test -r "$WORLDFS_PACK" && echo started; exit 5`)
	require.Equal(t, 5, status, out)
	require.Contains(t, out, "started")
	require.Contains(t, out, "read-only")
}

// A world with a text that does not parse, and with a conflict, can be worked on.
func TestRunNamesWhatIsWrongAndGoesOn(t *testing.T) {
	t.Parallel()
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
