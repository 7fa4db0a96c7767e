package test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A signal that is sent to run alone is the game's, too, and what that had saved is settled.
func TestRunPassesSignalsOn(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		b := freshClone(t)
		r := b.starts()
		id := b.engineMoves()
		require.NoError(t, r.cmd.Process.Signal(s))
		said, status := r.hasEnded()
		require.Equal(t, 128+int(s), status, said)
		require.Contains(t, said, "in this session: 1 changed")
		require.False(t, b.mounted())
		b.requireMoved(id)
	}
}

// SIGHUP that was ignored when run was started, as by nohup, ends neither.
func TestRunUnderNohup(t *testing.T) {
	b := freshClone(t)
	r := b.startsBy([]string{"nohup"}, "game")
	r.hasStarted()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGHUP))
	said, status := r.ends()
	require.Zero(t, status, said)
	require.False(t, b.mounted())
}

// Ctrl-C on a terminal goes to the game. Run settles when that has ended by it, or without.
func TestRunAndCtrlC(t *testing.T) {
	const ctrlC = "\x03"
	b := freshClone(t)
	b.run("worldfs", "vcs", "install")
	tty := b.onTerminal("run", "--", "sh", "-c", "trap 'echo saving; exit 7' INT; echo ready; while :; do sleep 0.02; done")
	tty.expect("ready")
	require.True(t, b.mounted())
	tty.press(ctrlC)
	tty.expect("saving")
	tty.expect("nothing has changed in this session")
	require.Equal(t, 7, tty.end())
	require.False(t, b.mounted())

	tty = b.onTerminal("run", "--", "sh", "-c", "echo ready; exec sleep 1000")
	tty.expect("ready")
	tty.press(ctrlC)
	tty.expect("nothing has changed in this session")
	require.Equal(t, 128+int(syscall.SIGINT), tty.end())
	require.False(t, b.mounted())

	tty = b.onTerminal("run", "--", "sh", "-c", "trap '' INT; echo ready; read line; echo the game goes on with $line")
	tty.expect("ready")
	tty.press(ctrlC)
	tty.press("it\r")
	tty.expect("the game goes on with it")
	require.Zero(t, tty.end())
	require.False(t, b.mounted())
}

// A terminal that goes away ends the game, and run settles.
func TestRunWhoseTerminalGoesAway(t *testing.T) {
	b := freshClone(t)
	b.run("worldfs", "vcs", "install")
	tty := b.onTerminal("run", "--", "sh", "-c", "echo ready; exec sleep 1000")
	tty.expect("ready")
	id := b.engineMoves()
	require.NoError(t, tty.keys.Close())
	require.Equal(t, 128+int(syscall.SIGHUP), tty.end())
	require.False(t, b.mounted())
	b.requireMoved(id)
}

// A program that reads what run prints, and ends, ends neither run nor the game.
func TestRunWhoseOutputIsNotRead(t *testing.T) {
	b := freshClone(t)
	b.run("bash", "-c", `"$0" run -- sh -c 'touch "$1"' sh "$1" 2>&1 | head -n 1 >/dev/null; exit 0`, binary, b.beside("done"))
	require.FileExists(t, b.beside("done"))
	require.False(t, b.mounted())
}

// What a script leaves in the background is waited for, and gets what is passed on.
func TestRunWaitsForWhatIsLeftInTheBackground(t *testing.T) {
	b := freshClone(t)
	script := `(echo >"$1"; until test -e "$1.saved"; do sleep 0.02; done; sleep 1) >/dev/null 2>&1 & exit 6`
	start := func() *running {
		r := &running{bench: b, game: "game", cmd: b.command(binary, "run", "--", "sh", "-c", script, "sh", b.beside("game"))}
		r.cmd.Stderr = &r.err
		require.NoError(t, r.cmd.Start())
		r.hasStarted()
		return r
	}
	r := start()
	id := b.engineMoves()
	require.True(t, b.mounted())
	said, status := r.ends()
	require.Equal(t, 6, status, said)
	require.Contains(t, said, "in the background, which is waited for")
	require.Contains(t, said, "in this session: 1 changed")
	require.False(t, b.mounted())
	b.requireMoved(id)

	require.NoError(t, exec.Command("rm", b.beside("game"), b.beside("game.saved")).Run())
	r = start()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	said, status = r.hasEnded()
	require.Contains(t, []int{6, 128 + int(syscall.SIGTERM)}, status, said) // the script may have ended or not
	require.False(t, b.mounted())
}

// A signal that the game takes for its end is for what it has left in the background, too.
func TestRunPassesOnWhatTheGameEndsBy(t *testing.T) {
	b := freshClone(t)
	script := `sh -c 'while :; do sleep 0.02; done' >/dev/null 2>&1 & trap 'exit 6' TERM; echo >"$1"; while :; do sleep 0.02; done`
	r := &running{bench: b, game: "game", cmd: b.command(binary, "run", "--", "sh", "-c", script, "sh", b.beside("game"))}
	r.cmd.Stderr = &r.err
	require.NoError(t, r.cmd.Start())
	r.hasStarted()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	said, status := r.hasEnded()
	require.Equal(t, 6, status, said)
	require.Contains(t, said, "in the background, which is waited for")
	require.False(t, b.mounted())
}

// Ctrl-C ends the waiting for what is left in the background. A daemon is not waited for.
func TestRunDoesNotWaitForADaemon(t *testing.T) {
	b := freshClone(t)
	b.run("worldfs", "vcs", "install")
	daemon := `until test -e "$0"; do sleep 0.02; done; rm "$0"`
	tty := b.onTerminal("run", "--", "sh", "-c", `setsid sh -c "$0" "$1" >/dev/null 2>&1 & exit 0`, daemon, b.beside("stop"))
	tty.expect("nothing has changed in this session")
	require.Zero(t, tty.end())
	require.NotContains(t, tty.shown.String(), "waited for")
	b.write("../../stop", "")
	b.eventually(func() bool { out, _ := b.try("ls", b.root); return !strings.Contains(out, "stop") })

	tty = b.onTerminal("run", "--", "sh", "-c", `(trap '' INT HUP; sh -c "$0" "$1") >/dev/null 2>&1 & exit 0`, daemon, b.beside("stop"))
	tty.expect("which is waited for")
	tty.press("\x03")
	tty.expect("nothing has changed in this session")
	require.Zero(t, tty.end())
	require.False(t, b.mounted())
	b.write("../../stop", "")
	b.eventually(func() bool { out, _ := b.try("ls", b.root); return !strings.Contains(out, "stop") })

	// One that becomes a daemon late is waited for until then.
	tty = b.onTerminal("run", "--", "sh", "-c", `(sleep 1; exec setsid sh -c "$0" "$1") >/dev/null 2>&1 & exit 0`, daemon, b.beside("stop"))
	tty.expect("which is waited for")
	tty.expect("nothing has changed in this session")
	require.Zero(t, tty.end())
	b.write("../../stop", "")
	b.eventually(func() bool { out, _ := b.try("ls", b.root); return !strings.Contains(out, "stop") })
}
