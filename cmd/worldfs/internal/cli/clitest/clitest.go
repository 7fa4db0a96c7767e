// Package clitest runs the commands of one group in the test's own process, in a world that
// is not mounted. What needs the built program or a mount is tested by the scripts of
// cmd/worldfs.
package clitest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// World makes a world of so many entities, whose directory is the current one until the
// test ends, and returns the directory.
func World(t *testing.T, entities int) string {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	root := t.TempDir()
	dir, err := worlddir.Init(root, worlddir.InitOptions{Note: func(string) {}})
	require.NoError(t, err)
	require.NoError(t, daemon.Fill(dir, island.Generate(entities, 1)))
	t.Chdir(root)
	return root
}

// Group is the commands of a package.
type Group func(*cli.App) []*cobra.Command

// Result is what a call came to.
type Result struct {
	Out, Errors string // what was printed
	Status      int    // as the program would exit with it
}

// Call runs a command of the group, with the standard input given.
func (g Group) Call(in string, args ...string) Result {
	var out, errs bytes.Buffer
	root := &cobra.Command{Use: "worldfs", SilenceUsage: true, SilenceErrors: true}
	root.SetIn(strings.NewReader(in))
	root.SetOut(&out)
	root.SetErr(&errs)
	root.SetArgs(args)
	a := cli.New(root)
	root.AddCommand(g(a)...)
	status := a.Run()
	return Result{Out: out.String(), Errors: errs.String(), Status: status}
}

// Succeeds runs a command that must succeed, and returns its output.
func (g Group) Succeeds(t *testing.T, args ...string) string {
	t.Helper()
	r := g.Call("", args...)
	require.Equal(t, daemon.ExitDone, r.Status, r.Errors)
	return r.Out
}
