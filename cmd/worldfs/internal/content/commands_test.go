package content

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli/clitest"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

func TestEntitiesAreListedFoundAndShown(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	all := commands.Succeeds(t, "ls")
	require.Equal(t, 50, strings.Count(all, "\n"))
	require.Equal(t, "{\"id\":6555,\"type\":\"Door\",\"name\":\"bunker door\"}\n", commands.Succeeds(t, "ls", "--json", "--where", "id == 6555"))
	require.Contains(t, commands.Succeeds(t, "find", "6555"), "id: 6555")
	require.Contains(t, commands.Succeeds(t, "show", "6555"), "6555")

	r := commands.Call("", "show", "1")
	require.Equal(t, daemon.ExitFailed, r.Status)
	require.Equal(t, daemon.ExitUsage, commands.Call("", "show", "door").Status)
}

func TestAnExportIsAWorldToReadAndToImport(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	commands.Succeeds(t, "export", "-o", "island.jsonl")
	commands.Succeeds(t, "export", "-o", "again.jsonl", "--from", "island.jsonl")
	text, err := os.ReadFile("island.jsonl")
	require.NoError(t, err)
	again, err := os.ReadFile("again.jsonl")
	require.NoError(t, err)
	require.True(t, bytes.Equal(text, again))
	require.Equal(t, commands.Succeeds(t, "ls"), commands.Succeeds(t, "ls", "--from", "island.jsonl"))
	require.Equal(t, "0 created, 0 changed, 0 deleted, 50 unchanged\n", commands.Succeeds(t, "import", "island.jsonl"))
}

func TestPackAndPlainFilesAreWritten(t *testing.T) {
	root := clitest.World(t, 50)
	commands := clitest.Group(Commands)
	require.Contains(t, commands.Succeeds(t, "unpack", "--to", "texts"), "50 files written")
	require.FileExists(t, filepath.Join(root, "texts", "6555.entity_text"))
	require.Contains(t, commands.Succeeds(t, "pack", "-o", "out.pack"), "out.pack: 50 entities")
	require.Equal(t, commands.Succeeds(t, "ls"), commands.Succeeds(t, "ls", "--from", "out.pack"))
}
