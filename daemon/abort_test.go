package daemon

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process that was killed counts as killed for as long as it is not quite
// gone, and one that lives, or has gone, does not.
func TestWhoeverWasKilledIsKnown(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	require.NoError(t, cmd.Start())
	require.False(t, killed(cmd.Process.Pid))
	require.NoError(t, cmd.Process.Kill())
	require.Eventually(t, func() bool { return killed(cmd.Process.Pid) }, time.Minute, 5*time.Millisecond)
	_ = cmd.Wait()
	require.False(t, killed(cmd.Process.Pid))
}

// A dead mount may be taken away by two at once, a command and what guards it.
func TestAMountThatAnotherHasTakenAwayIsGone(t *testing.T) {
	require.NoError(t, lazyUnmount(t.TempDir()))
	require.Error(t, lazyUnmount(filepath.Join(t.TempDir(), "missing")))
}
