package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

// called runs a program that has the command do, and returns its exit status and what it
// said.
func called(do func(a *App, cmd *cobra.Command) error, args ...string) (status int, said string) {
	var errs bytes.Buffer
	root := &cobra.Command{Use: "worldfs", SilenceUsage: true, SilenceErrors: true}
	root.SetErr(&errs)
	root.SetArgs(args)
	a := New(root)
	root.AddCommand(&cobra.Command{
		Use: "do", Args: Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return do(a, cmd) },
	})
	return a.Run(), errs.String()
}

func TestAnErrorIsTheExitStatus(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		said   string
	}{
		{nil, daemon.ExitDone, ""},
		{Problemsf("%d conflicts", 2), daemon.ExitProblems, "worldfs: 2 conflicts\n"},
		{Usagef("no"), daemon.ExitUsage, "worldfs: no\nRun worldfs do --help for how it is called.\n"},
		{errors.New("no room"), daemon.ExitFailed, "worldfs: no room\n"},
	} {
		status, said := called(func(*App, *cobra.Command) error { return c.err }, "do")
		require.Equal(t, c.status, status)
		require.Equal(t, c.said, said)
	}
}

func TestAWrongCallBeginsNothing(t *testing.T) {
	for _, args := range [][]string{{"do", "more"}, {"do", "--nosuch"}, {"-C", "nosuch", "do"}, {"nosuch"}} {
		status, said := called(func(*App, *cobra.Command) error { panic("it has begun") }, args...)
		require.Equal(t, daemon.ExitUsage, status, args)
		require.Contains(t, said, "--help for how it is called.\n", args)
	}
}

func TestACommandBeginsWhereItIsToRun(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("inner", 0o755))
	status, said := called(func(*App, *cobra.Command) error {
		here, err := os.Getwd()
		require.Equal(t, "inner", filepath.Base(here))
		return err
	}, "-C", "inner", "do")
	require.Equal(t, daemon.ExitDone, status, said)
}

func TestQuietLeavesRemarksOut(t *testing.T) {
	remark := func(a *App, cmd *cobra.Command) error {
		a.Noter(cmd)("by the way")
		return nil
	}
	_, said := called(remark, "do")
	require.Equal(t, "worldfs: by the way\n", said)
	_, said = called(remark, "do", "-q")
	require.Empty(t, said)
}

func TestWithoutAWorldNothingIsUsed(t *testing.T) {
	t.Chdir(t.TempDir())
	status, said := called(func(a *App, cmd *cobra.Command) error {
		return a.Use(cmd, nil)
	}, "do")
	require.Equal(t, daemon.ExitFailed, status)
	require.Contains(t, said, "worldfs init")
}
