package worlddir

import (
	"log/slog"
	"os"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

const testID = `id = "6fa459ea-ee8a-4ca4-894e-db77e160355e"` + "\n"

func TestSettingsComeFromFileThenEnvironmentThenFlags(t *testing.T) {
	d := initWorld(t)
	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"log_level = \"warn\"\nplain = true\nfuture = [1]\n"), 0o666))
	require.NoError(t, d.Configure(nil))
	require.Equal(t, slog.LevelWarn, d.Settings.LogLevel)
	require.True(t, d.WantsPlain())

	t.Setenv("WORLDFS_LOG_LEVEL", "error")
	t.Setenv("WORLDFS_PLAIN", "false")
	t.Setenv("WORLDFS_ID", "nonsense that must not count")
	require.NoError(t, d.Configure(nil))
	require.Equal(t, slog.LevelError, d.Settings.LogLevel)
	require.False(t, d.WantsPlain())

	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.String("log-level", "", "")
	require.NoError(t, d.Configure(flags))
	require.Equal(t, slog.LevelError, d.Settings.LogLevel)
	require.NoError(t, flags.Parse([]string{"--log-level", "debug"}))
	require.NoError(t, d.Configure(flags))
	require.Equal(t, slog.LevelDebug, d.Settings.LogLevel)
}

func TestHaltPollingIsOffUnlessAskedFor(t *testing.T) {
	d := initWorld(t)
	require.NoError(t, d.Configure(nil))
	require.False(t, d.Settings.HaltPolling)
	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"halt_polling = true\n"), 0o666))
	require.NoError(t, d.Configure(nil))
	require.True(t, d.Settings.HaltPolling)
}

func TestDesktopNotificationsAreOffUnlessAskedFor(t *testing.T) {
	d := initWorld(t)
	require.NoError(t, d.Configure(nil))
	require.False(t, d.Settings.Notify)
	require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(testID+"notify = true\n"), 0o666))
	require.NoError(t, d.Configure(nil))
	require.True(t, d.Settings.Notify)
	t.Setenv("WORLDFS_NOTIFY", "false")
	require.NoError(t, d.Configure(nil))
	require.False(t, d.Settings.Notify, "one person need not want what the team has")
}

func TestBadSettingsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                               `id = ""`,
		"id = 'x'\n":                     `id = "x"`,
		testID + "plain = 'sometimes'\n": `plain = "sometimes" is not true or false`,
		testID + "halt_polling = 7.5\n":  `halt_polling = "7.5" is not true or false`,
		testID + "log_level = 'loud'\n":  `log_level = "loud" is not debug`,
		testID + "plain = = 1\n":         "world.toml:2:9:",
		testID + "[merge]\nbulk = 25\n":  `merge.bulk = "25" is not a share`,
		testID + "shard = 'thousands'\n": `shard = "thousands" is not none, last-digit, tens or hundreds`,
	} {
		d := initWorld(t)
		require.NoError(t, os.WriteFile(d.ConfigPath(), []byte(text), 0o666))
		_, err := Open(d.Root)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, d.ConfigPath())
	}
}

func TestPlainFilesAreWantedInAWorkingCopy(t *testing.T) {
	d := initWorld(t)
	require.False(t, d.WantsPlain())
	require.NoError(t, os.Mkdir(d.Root+"/../.hg", 0o777))
	require.True(t, d.WantsPlain())
	no := false
	other, err := Init(d.Root+"/other", InitOptions{Plain: &no})
	require.NoError(t, err)
	require.False(t, other.WantsPlain())
}
