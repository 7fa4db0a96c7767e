package fsnode_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A child that had the connection would keep the mount of a killed process
// waiting for an answer.
func TestNoChildHasTheConnection(t *testing.T) {
	newRig(t, 1)
	fds, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	connections := 0
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && to == "/dev/fuse" {
			connections++
		}
	}
	require.NotZero(t, connections)
	out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
	require.NoError(t, err)
	require.False(t, strings.Contains(string(out), "/dev/fuse"), "%s", out)
}
