package teamwork

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli/clitest"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

func TestDocumentsMerge(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"base.json": `{"a": 1, "b": 1}`, "ours.json": `{"a": 2, "b": 1}`,
		"theirs.json": `{"a": 1, "b": 3}`, "other.json": `{"a": 4, "b": 1}`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	commands := clitest.Group(Commands)
	require.Empty(t, commands.Succeeds(t, "merge", "--json-files", "base.json", "ours.json", "theirs.json", "-o", "out.json"))
	out, err := os.ReadFile("out.json")
	require.NoError(t, err)
	require.JSONEq(t, `{"a": 2, "b": 3}`, string(out))

	conflict := []string{"merge", "--json-files", "base.json", "ours.json", "other.json", "-o", "out.json"}
	require.Equal(t, daemon.ExitProblems, commands.Call("", conflict...).Status)
	require.Equal(t, daemon.ExitDone, commands.Call("", append(conflict, "--prefer", "theirs")...).Status)
	require.Equal(t, daemon.ExitUsage, commands.Call("", append(conflict, "--prefer", "nobody")...).Status)
}

func TestWorldsMerge(t *testing.T) {
	clitest.World(t, 50)
	commands := clitest.Group(Commands)
	require.Contains(t, commands.Succeeds(t, "merge", ".", ".", ".", "-o", "out.pack"), "0")
	require.FileExists(t, "out.pack")
	require.Equal(t, daemon.ExitUsage, commands.Call("", "merge", ".", ".", ".").Status)
	require.Equal(t, daemon.ExitUsage, commands.Call("", "merge", ".", ".", ".", "-o", "o.pack", "--sjson").Status)
}

func TestResolveTakesOneWay(t *testing.T) {
	clitest.World(t, 1)
	commands := clitest.Group(Commands)
	for _, wrong := range [][]string{{"--take", "mine", "--restore-lost"}, {"6555"}, {"--set", "6555"}, {"-i"}, {"--where", "true"}} {
		r := commands.Call("", append([]string{"resolve"}, wrong...)...)
		require.Equal(t, daemon.ExitUsage, r.Status, wrong)
	}
}

func TestWithoutVersionControlNothingIsSetUp(t *testing.T) {
	clitest.World(t, 1)
	commands := clitest.Group(Commands)
	require.Equal(t, daemon.ExitFailed, commands.Call("", "vcs", "add").Status)
	require.Equal(t, daemon.ExitUsage, commands.Call("", "vcs", "nosuch").Status)
}

func TestTheDriverMergesByProperty(t *testing.T) {
	_, err := exec.LookPath("git")
	require.NoError(t, err, "scripts/setup.sh test")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"base": "a\nb\nc\n", "ours": "A\nb\nc\n", "theirs": "a\nb\nC\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	clitest.Group(Commands).Succeeds(t, "vcs", "merge-driver", "base", "ours", "theirs", "7", "notes.txt")
	out, err := os.ReadFile("ours")
	require.NoError(t, err)
	require.Equal(t, "A\nb\nC\n", string(out))
}

func TestAFileIsPlacedInItsWorld(t *testing.T) {
	for name, want := range map[string][2]string{
		"world.toml":                            {".", "world.toml"},
		"entities/6555.entity_text":             {".", "entities/6555.entity_text"},
		"levels/island/types/Lamp.toml":         {"levels/island", "types/Lamp.toml"},
		"levels/entities/5/6555.entity_text":    {"levels", "entities/5/6555.entity_text"},
		"levels/island/id_ranges":               {"levels/island", "id_ranges"},
		"types/island/entities/555.entity_text": {"types/island", "entities/555.entity_text"},
	} {
		root, in := placeInWorld(name)
		require.Equal(t, want, [2]string{root, in}, name)
	}
}
