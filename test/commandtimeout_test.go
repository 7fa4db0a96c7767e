package test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// commandTimeout is how long a command may take. One that takes longer waits for a
// mount that does not answer.
const commandTimeout = 5 * time.Minute

// wait waits for the end of a command. When that does not come, the bench's
// daemons leave their stacks in the log, which is told, and its mounts are ended
// from outside: the test fails, and neither it nor anything else hangs.
func (b *bench) wait(cmd *exec.Cmd) error {
	b.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(commandTimeout):
	}
	_ = cmd.Process.Kill()
	for _, process := range b.processes() {
		if pid, err := strconv.Atoi(process[len("/proc/"):]); err == nil {
			_ = syscall.Kill(pid, syscall.SIGQUIT)
		}
	}
	time.Sleep(time.Second)
	b.abort()
	b.Errorf("a command hangs: %v", cmd.Args)
	return errHangs
}

var errHangs = errors.New("it hangs")

// abort ends the connections of the bench's mounts: whoever waits there gets an
// error.
func (b *bench) abort() {
	mounts, err := os.Open("/proc/self/mountinfo")
	require.NoError(b, err)
	defer mounts.Close()
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) > 4 && strings.HasPrefix(fields[4], b.root+"/") && strings.Contains(lines.Text(), " - fuse") {
			_ = unix.Unmount(fields[4], unix.MNT_FORCE|unix.UMOUNT_NOFOLLOW)
			_, minor, _ := strings.Cut(fields[2], ":")
			_ = os.WriteFile("/sys/fs/fuse/connections/"+minor+"/abort", []byte("1"), 0) // where others must not unmount
		}
	}
}
