package vcswatch

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// program runs as a program of that name, with these arguments, that has a file open.
func program(t *testing.T, open string, args ...string) uint32 {
	cmd := exec.Command("sleep", "600")
	if open != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(open), 0o777))
		f, err := os.Create(open)
		require.NoError(t, err)
		defer f.Close()
		cmd.ExtraFiles = []*os.File{f}
	}
	cmd.Path, cmd.Args = "/bin/sh", append([]string{args[0], "-c", "read line", "sh"}, args[1:]...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return uint32(cmd.Process.Pid)
}

func TestWhatSVNDoesIsKnownByItsDatabase(t *testing.T) {
	database := filepath.Join(t.TempDir(), ".svn", "wc.db")
	for _, c := range []struct {
		want svnWork
		open string
		args []string
	}{
		{noSVN, "", []string{"rm", "6555.entity_text"}},
		{noSVN, "", []string{"svn", "update"}}, // of another working copy, or not there yet
		{svnUpdate, database, []string{"svn", "-q", "update"}},
		{svnUpdate, database, []string{"svn", "up"}},
		{svnOther, database, []string{"svn", "revert", "-R", "."}},
		{svnOther, database, []string{"svn", "revert", "update"}},
		{svnOther, database, []string{"a-client", "update"}},
	} {
		require.Equal(t, c.want, workOf(program(t, c.open, c.args...)), c.args)
	}
	require.Equal(t, noSVN, workOf(1<<31-1), "a thread that has ended")
}

func TestDeletionsAreOnRecordUnlessTheyAreTakenBack(t *testing.T) {
	dir, err := worlddir.Init(t.TempDir()+"/w", worlddir.InitOptions{})
	require.NoError(t, err)
	d := newDeletions(dir, func() layout.Layout { return layout.None })
	record := func() (names []string) {
		require.NoError(t, d.flush())
		r, err := vcssync.ReadRecord(dir)
		require.NoError(t, err)
		for _, x := range r.Deleted {
			names = append(names, x.Name)
		}
		return names
	}
	database := filepath.Join(t.TempDir(), ".svn", "wc.db")
	rm, update := program(t, "", "rm"), program(t, database, "svn", "update")
	revert := program(t, database, "svn", "revert")

	d.named(1, false, rm)
	d.named(2, false, update) // of what it removes svn knows
	d.named(3, false, 0)      // by a command of ours
	d.named(4, false, rm)
	d.named(4, true, rm) // by an editor
	require.Equal(t, []string{"entities/1.entity_text", "entities/3.entity_text"}, record())
	require.True(t, d.takeToAsk())
	require.False(t, d.takeToAsk())
	d.named(1, true, update) // which has not heard of it
	d.named(3, true, revert)
	require.Equal(t, []string{"entities/1.entity_text"}, record())

	again := newDeletions(dir, d.layout) // in the next mount
	again.named(1, true, rm)
	require.NoError(t, again.flush())
	require.Empty(t, record())
}
