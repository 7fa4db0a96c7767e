package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal is a program on a terminal, and the person before it.
type terminal struct {
	*testing.T
	cmd  *exec.Cmd
	keys *os.File

	mu    sync.Mutex
	shown bytes.Buffer
	read  int // of what was shown, how much the person has read
	over  chan struct{}
}

// onTerminal starts worldfs on a terminal of its own.
func (b *bench) onTerminal(args ...string) *terminal {
	b.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(b, err)
	conn, err := keys.SyscallConn() // not Fd, after which Close would wait for a Read
	require.NoError(b, err)
	var n int
	require.NoError(b, conn.Control(func(fd uintptr) {
		require.NoError(b, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0))
		n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
	}))
	require.NoError(b, err)
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(b, err)
	defer tty.Close()
	t := &terminal{T: b.T, keys: keys, cmd: b.command(binary, args...), over: make(chan struct{})}
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = tty, tty, tty
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(b, t.cmd.Start())
	go t.watch()
	b.Cleanup(func() {
		_ = t.cmd.Process.Kill()
		_ = keys.Close()
		<-t.over
	})
	return t
}

func (t *terminal) watch() {
	defer close(t.over)
	buf := make([]byte, 4096)
	for {
		n, err := t.keys.Read(buf)
		t.mu.Lock()
		t.shown.Write(buf[:n])
		t.mu.Unlock()
		if err != nil {
			return // the program has ended
		}
	}
}

// expect waits until the program shows a text.
func (t *terminal) expect(text string) {
	t.Helper()
	require.Eventually(t, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		at := strings.Index(t.shown.String()[t.read:], text)
		if at >= 0 {
			t.read += at + len(text)
		}
		return at >= 0
	}, time.Minute, 5*time.Millisecond, "%q", text)
}

// press presses keys.
func (t *terminal) press(keys string) {
	t.Helper()
	_, err := t.keys.WriteString(keys)
	require.NoError(t, err)
}

// end waits until the program ends, and returns its exit status.
func (t *terminal) end() int {
	t.Helper()
	_ = t.cmd.Wait()
	return t.cmd.ProcessState.ExitCode()
}
