package test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/stretchr/testify/require"
)

// A killed daemon that cannot end, since a thread of it waits in the kernel for
// a program that waits for the daemon, still has its mount. It is a zombie, or,
// where its first thread waits, what it was. Here it is one that stands still,
// and another process that it says to be. Whoever then comes from outside of a
// covered world, of which nothing can be read, ends the mount and goes on when
// the daemon has gone.
func TestAKilledDaemonThatCannotEndIsEnded(t *testing.T) {
	t.Parallel()
	for name, victim := range map[string]func(*testing.T) *exec.Cmd{"a zombie": sleeping, "waiting": waiting} {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, before the command: %v", name, before), func(t *testing.T) {
				requireEnded(t, victim(t), before)
			})
		}
	}
}

func requireEnded(t *testing.T, victim *exec.Cmd, before bool) {
	b := small(t)
	b.run("worldfs", "mount", "--cover", b.dir)
	outside := b.cd("..")
	r := b.record()
	b.Cleanup(func() {
		_ = syscall.Kill(r.Pid, syscall.SIGCONT) // where the test has failed it still stands
		outside.try("worldfs", "-C", b.dir, "unmount")
	})
	kill := func() {
		b.stop(r.Pid)
		beside := strings.TrimSuffix(r.Socket, ".sock") + ".json"
		outside.run("sed", "-i", `s/"pid":`+strconv.Itoa(r.Pid)+`/"pid":`+strconv.Itoa(victim.Process.Pid)+`/`, beside)
		require.NoError(t, victim.Process.Kill())
	}
	if before {
		kill()
	}
	cmd := outside.command(binary, "-C", filepath.Join(b.dir, "entities"), "status")
	if !before { // it is killed once the command is at it
		b.stop(r.Pid)
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	if !before {
		time.Sleep(100 * time.Millisecond)
		kill()
	}
	require.Eventually(t, func() bool { return !b.mounted() }, time.Minute, 10*time.Millisecond)
	require.NoError(t, syscall.Kill(r.Pid, syscall.SIGKILL))
	require.NoError(t, b.wait(cmd), "%s", &said)
	require.Len(t, b.names("entities"), 20)
}

// stop has a process stand still, and returns when all its threads do: one of them
// might answer the command else.
func (b *bench) stop(pid int) {
	b.Helper()
	require.NoError(b, syscall.Kill(pid, syscall.SIGSTOP))
	b.eventually(func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		require.NoError(b, err)
		return !slices.ContainsFunc(threads, func(path string) bool {
			stat, err := os.ReadFile(path)
			return err == nil && !strings.Contains(string(stat), ") T ")
		})
	})
}

// sleeping returns a process that is a zombie once it is killed.
func sleeping(t *testing.T) *exec.Cmd {
	cmd := exec.Command("sleep", "600")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // it is killed
	return cmd
}

// waiting returns a process that waits in the kernel for an answer, which comes
// at the end of the test: until then nothing ends it.
func waiting(t *testing.T) *exec.Cmd {
	dir := t.TempDir()
	asked := &neverAnswers{asked: make(chan struct{}), end: make(chan struct{})}
	server, err := fs.Mount(dir, asked, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Unmount()) })
	cmd := exec.Command("stat", filepath.Join(dir, "name"))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		close(asked.end)
		_ = cmd.Wait() // it is killed
	})
	<-asked.asked
	return cmd
}

// neverAnswers is a directory that does not say what is in it until the end.
type neverAnswers struct {
	fs.Inode
	asked, end chan struct{}
}

// Lookup implements fs.NodeLookuper.
func (n *neverAnswers) Lookup(context.Context, string, *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	close(n.asked)
	<-n.end
	return nil, syscall.ENOENT
}
