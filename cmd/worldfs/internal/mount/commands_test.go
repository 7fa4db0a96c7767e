package mount

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli/clitest"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

func TestAWorldThatIsNotMountedIsAsked(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	require.Contains(t, commands.Succeeds(t, "status"), "not mounted")
	require.Contains(t, commands.Succeeds(t, "status", "--json"), `"lost":[]`)
	require.Empty(t, commands.Succeeds(t, "sync"))
	require.Equal(t, daemon.ExitUsage, commands.Call("", "watch", "--from", "now").Status)
	r := commands.Call("", "watch")
	require.Equal(t, daemon.ExitFailed, r.Status)
	require.Contains(t, r.Errors, "worldfs mount")
}

func TestMountRefusesShapesThatThereAreNot(t *testing.T) {
	clitest.World(t, 1)
	commands := clitest.Group(Commands)
	require.Equal(t, daemon.ExitFailed, commands.Call("", "mount", "--shape", "round").Status)
	require.Equal(t, daemon.ExitUsage, commands.Call("", "mount", "--cover", t.TempDir()).Status)
}

func TestTheHelperIsKnownByItsName(t *testing.T) {
	require.True(t, IsHelper("/sbin/mount.worldfs"))
	require.True(t, IsHelper("mount.fuse.worldfs"))
	require.False(t, IsHelper("/usr/local/bin/worldfs"))
}

func TestTheHelperCallsMount(t *testing.T) {
	root := clitest.World(t, 1)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{root, root + "/entities", "-o", "rw,allow_other"}, []string{"-q", "-C", root, "mount", "--allow-other", "--shape", "entities"}},
		{[]string{root, root, "-o", "log_level=debug"}, []string{"-q", "-C", root, "mount", "--log-level", "debug", "--cover", root}},
	} {
		call, err := parseMountCall(c.args)
		require.NoError(t, err)
		got, err := call.command()
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for _, wrong := range [][]string{{root}, {root, "/elsewhere"}, {root, root, "-o", "ro"}, {root, root, "-o", "nosuch"}, {root, root, "-x"}} {
		silence(t)
		require.Equal(t, mountExitUsage, RunHelper(nil, wrong), wrong)
	}
}

// silence has what the test prints on standard error go nowhere.
func silence(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	stderr := os.Stderr
	os.Stderr = null
	t.Cleanup(func() {
		os.Stderr = stderr
		_ = null.Close()
	})
}
