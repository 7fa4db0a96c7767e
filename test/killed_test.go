package test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A killed daemon that cannot end, since a thread of it waits in the kernel for
// a program that waits for the daemon, is a zombie that still has its mount. Here
// it is one that stands still, and a zombie that it says to be. Whoever then
// comes from outside of a covered world, of which nothing can be read, ends the
// mount and goes on when the daemon has gone.
func TestAKilledDaemonThatCannotEndIsEnded(t *testing.T) {
	for _, before := range []bool{true, false} {
		b := small(t)
		b.run("worldfs", "mount", "--cover", b.dir)
		b.Cleanup(func() { b.cd("..").try("worldfs", "-C", b.dir, "unmount") })
		outside := b.cd("..")
		r := b.record()
		zombie := exec.Command("sleep", "600")
		require.NoError(t, zombie.Start())
		t.Cleanup(func() { _ = zombie.Wait() }) // it is killed
		kill := func() {
			require.NoError(t, syscall.Kill(r.Pid, syscall.SIGSTOP))
			beside := strings.TrimSuffix(r.Socket, ".sock") + ".json"
			outside.run("sed", "-i", `s/"pid":`+strconv.Itoa(r.Pid)+`/"pid":`+strconv.Itoa(zombie.Process.Pid)+`/`, beside)
			require.NoError(t, zombie.Process.Kill())
		}
		if before {
			kill()
		}
		cmd := outside.command(binary, "-C", filepath.Join(b.dir, "entities"), "status")
		if !before { // it is killed once the command is at it
			require.NoError(t, syscall.Kill(r.Pid, syscall.SIGSTOP))
		}
		require.NoError(t, cmd.Start())
		if !before {
			time.Sleep(100 * time.Millisecond)
			kill()
		}
		require.Eventually(t, func() bool { return !b.mounted() }, time.Minute, 10*time.Millisecond)
		require.NoError(t, syscall.Kill(r.Pid, syscall.SIGKILL))
		require.NoError(t, b.wait(cmd))
		require.Len(t, b.names("entities"), 20)
	}
}
