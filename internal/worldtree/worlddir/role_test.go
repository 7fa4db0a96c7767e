package worlddir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// A role is one process's, else one machine's, and only last what world.toml gives to
// everybody.
func TestWhoseRoleCounts(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv(worlddir.RoleVariable, "")
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
	require.NoError(t, err)
	require.Empty(t, dir.Settings.Role)

	text, err := os.ReadFile(dir.ConfigPath())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir.ConfigPath(), append(text, "role = \"Everybody\"\n"...), 0o644))
	role := func(flags *pflag.FlagSet) string {
		require.NoError(t, dir.Configure(flags))
		require.Equal(t, "Everybody", dir.Settings.SharedRole)
		return dir.Settings.Role
	}
	require.Equal(t, "Everybody", role(nil))

	own := filepath.Join(config, "worldfs", "config.toml")
	require.NoError(t, os.Mkdir(filepath.Dir(own), 0o700))
	require.NoError(t, os.WriteFile(own, []byte("# mine\nrole = \"Machine\"\n"), 0o600))
	require.Equal(t, "Machine", role(nil))

	t.Setenv(worlddir.RoleVariable, "Process")
	require.Equal(t, "Process", role(nil))

	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.String("role", "", "")
	require.Equal(t, "Process", role(flags))
	require.NoError(t, flags.Set("role", "Flag"))
	require.Equal(t, "Flag", role(flags))
	require.NoError(t, flags.Set("role", ""))
	require.Empty(t, role(flags), "an empty flag is none")
}

func TestWrongSettingsOfTheUsersAreNamed(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(config, "worldfs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "worldfs", "config.toml"), []byte("\nrole =\n"), 0o600))
	require.ErrorContains(t, dir.Configure(nil), "config.toml:2:")

	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	require.NoError(t, dir.Configure(nil), "who has no home has no settings")
}
