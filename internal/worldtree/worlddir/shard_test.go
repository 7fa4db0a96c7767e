package worlddir

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

func TestSetShardKeepsAllElse(t *testing.T) {
	for text, want := range map[string]string{
		testID: testID + "shard = \"tens\"\n",
		testID + "# shard = \"last-digit\" # why\nrole = 'a'":      testID + "shard = \"tens\" # why\nrole = 'a'",
		testID + "# shard = 'none'\nshard='last-digit' #x\n":       testID + "# shard = 'none'\nshard = \"tens\" #x\n",
		testID + "role = 'a' # b\n[merge]\npolicy = \"mine\"\n":    testID + "role = 'a' # b\nshard = \"tens\"\n\n[merge]\npolicy = \"mine\"\n",
		testID + "sharding = 'x'\n[other]\nshard = \"hundreds\"\n": testID + "sharding = 'x'\nshard = \"tens\"\n\n[other]\nshard = \"hundreds\"\n",
	} {
		d := initWorld(t)
		require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(text), 0o666))
		require.NoError(t, os.Chmod(d.ConfigPath(), 0o640))
		require.NoError(t, d.SetShard(layout.Tens))
		got, err := os.ReadFile(d.ConfigPath())
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		require.NoError(t, d.Configure(nil))
		require.Equal(t, layout.Tens, d.Settings.Shard)
		info, err := os.Stat(d.ConfigPath())
		require.NoError(t, err)
		require.EqualValues(t, 0o640, info.Mode().Perm())
	}
}

func TestANewWorldsCommentBecomesTheSetting(t *testing.T) {
	d := initWorld(t)
	before, err := os.ReadFile(d.ConfigPath())
	require.NoError(t, err)
	require.NoError(t, d.SetShard(layout.Hundreds))
	require.NoError(t, d.SetShard(layout.None))
	after, err := os.ReadFile(d.ConfigPath())
	require.NoError(t, err)
	require.Equal(t, strings.Replace(string(before), `# shard = "last-digit"`, `shard = "none"`, 1), string(after))
}

func TestAWorldTomlThatCannotBeEditedIsLeftAlone(t *testing.T) {
	d := initWorld(t)
	text := testID + "\"shard\" = \"tens\"\n"
	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(text), 0o666))
	require.ErrorContains(t, d.SetShard(layout.None), "by hand")
	got, err := os.ReadFile(d.ConfigPath())
	require.NoError(t, err)
	require.Equal(t, text, string(got))
}

// A checkout may change world.toml while another process has the world: who gets it after that
// goes by what is there then.
func TestTheLockReadsShardOnceMore(t *testing.T) {
	d := initWorld(t)
	write := func(text string) { require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(text), 0o666)) }
	lock := func() layout.Layout {
		unlock, err := d.Lock()
		require.NoError(t, err)
		unlock()
		return d.Settings.Shard
	}
	write(testID + "shard = \"tens\"\n")
	require.Equal(t, layout.Tens, lock())
	write("")
	require.Equal(t, layout.Tens, lock(), "a checkout has begun to write it")
	write(testID)
	require.Equal(t, layout.None, lock())
}

// Where shard is taken out of world.toml, the files lie as where none was ever given.
func TestShardThatIsTakenOutIsNone(t *testing.T) {
	d := initWorld(t)
	require.NoError(t, d.SetShard(layout.Tens))
	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID), 0o666))
	require.NoError(t, d.Configure(nil))
	require.Equal(t, layout.None, d.Settings.Shard)
}
