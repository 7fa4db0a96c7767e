package changes

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli/clitest"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

func TestWhatSetPrintsIsAppliedAndReverted(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	set := []string{"set", "--where", "id == 6555", "position.z = position.z + 0.5"}
	would := commands.Succeeds(t, append(set, "--dry-run")...)
	require.NotEmpty(t, would)
	r := commands.Call("", set...)
	require.Equal(t, daemon.ExitDone, r.Status, r.Errors)
	require.Equal(t, would, r.Out)
	require.Contains(t, r.Errors, "2 changed") // with the panel on the door; standard output is the change set
	require.NoError(t, os.WriteFile("raised.changes", []byte(would), 0o644))

	unchanged, changed := "0 created, 0 changed, 0 deleted", "0 created, 2 changed, 0 deleted"
	require.Contains(t, commands.Succeeds(t, "apply", "raised.changes"), unchanged) // it is so already
	require.Contains(t, commands.Succeeds(t, "revert", "raised.changes"), changed)
	r = commands.Call(would, "apply", "-")
	require.Contains(t, r.Out, changed, r.Errors)
}

// A change set that changes nothing is no silent success.
func TestApplySaysThatNothingWasChanged(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	set := commands.Succeeds(t, "set", "--where", "id == 6005", "radius = 5")
	for _, c := range []struct{ command, changes, want string }{
		{"apply", set, "no change, or the world is so already"},
		{"apply", "worldfs changes 1\nend\n", "no change, or the world is so already"},
		{"revert", set, ""},
		{"revert", set, "no change, or the world is so already"},
		{"apply", set, ""},
	} {
		r := commands.Call(c.changes, c.command, "-")
		require.Equal(t, daemon.ExitDone, r.Status, r.Errors)
		if c.want == "" {
			require.Contains(t, r.Out, "1 changed")
			require.NotContains(t, r.Errors, "nothing was changed")
		} else {
			require.Contains(t, r.Errors, "standard input: nothing was changed: ")
			require.Contains(t, r.Errors, c.want)
		}
	}
	commands.Succeeds(t, "set", "--where", "id == 6005", "radius = 6")
	r := commands.Call(set, "apply", "-", "--policy", "mine")
	require.Contains(t, r.Errors, "nothing could be made here", r.Out)
}

func TestApplySaysWhatItCannotMake(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	set := commands.Succeeds(t, "set", "--where", "id == 6005", "radius = 5")
	commands.Succeeds(t, "set", "--where", "id == 6005", "radius = 6")
	gone := strings.ReplaceAll(set, "6005", "999")
	for _, changes := range []string{gone, set + gone} {
		r := commands.Call(changes, "apply", "-", "--policy", "shared")
		require.Equal(t, daemon.ExitProblems, r.Status, r.Errors)
		require.Contains(t, r.Errors, "entity 999, field radius")
		require.Contains(t, r.Errors, "1 change of standard input could not be made")
		require.Equal(t, changes == gone, strings.Contains(r.Errors, "nothing could be made here"), r.Errors)
	}
	require.Contains(t, commands.Succeeds(t, "set", "--where", "id == 6005", "radius = 5"), "worldfs changes 1\nend\n")
}

func TestSetSaysWhichEntitiesAreMeant(t *testing.T) {
	r := clitest.Group(Commands).Call("", "set", "radius = 1")
	require.Equal(t, daemon.ExitUsage, r.Status)
	require.Contains(t, r.Errors, "--where true for all")
}

func TestDiffIsCutDown(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	before, err := os.ReadFile("world.pack")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("before.pack", before, 0o644))
	commands.Succeeds(t, "set", "--where", "id == 6555", "position.z = position.z + 0.5")
	diff := commands.Succeeds(t, "diff", "before.pack", ".")
	require.Contains(t, diff, "6555")
	require.Equal(t, diff, commands.Succeeds(t, "diff", "before.pack", ".", "--id", "6555", "--id", "6006"))
	require.Equal(t, diff, commands.Succeeds(t, "diff", "before.pack", ".", "--where", "id == 6555 || id == 6006"))
	require.NotContains(t, commands.Succeeds(t, "diff", "before.pack", ".", "--field", "radius"), "6555")
	require.Equal(t, daemon.ExitProblems, commands.Call("", "diff", "--exit-code", "before.pack", ".").Status)
	for _, wrong := range [][]string{{"--near", "1,2"}, {"--near", "1,2,3,x"}, {"--id", "door"}, {"--where", "("}} {
		r := commands.Call("", append([]string{"diff", "before.pack", "."}, wrong...)...)
		require.Equal(t, daemon.ExitUsage, r.Status, wrong)
	}
}

func TestThePastIsToldAndTakenBack(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	commands.Succeeds(t, "set", "--where", "id == 6555", "position.z = position.z + 0.5")
	require.Contains(t, commands.Succeeds(t, "history", "6555"), "position")
	require.Contains(t, commands.Succeeds(t, "undo", "6555"), "undone: ")
	require.NotEmpty(t, commands.Succeeds(t, "restore", "--list"))
	require.Equal(t, daemon.ExitUsage, commands.Call("", "restore", "--list", "--at", "1h").Status)
	require.Equal(t, daemon.ExitUsage, commands.Call("", "restore", "12").Status)
}
