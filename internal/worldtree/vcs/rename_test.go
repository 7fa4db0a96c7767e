package vcs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// thereAndBack are moves into shards; 9 is not tracked.
func thereAndBack(t *testing.T, dir string) (there, back []vcs.Move) {
	t.Helper()
	write(t, dir, map[string]string{"entities/9.entity_text": "nine"})
	for _, digit := range []string{"1", "2", "9"} {
		m := vcs.Move{From: "entities/" + digit + ".entity_text", To: "entities/" + digit + "/" + digit + ".entity_text"}
		require.NoError(t, os.Mkdir(filepath.Join(dir, "entities", digit), 0o777))
		there, back = append(there, m), append(back, vcs.Move{From: m.To, To: m.From})
	}
	return there, back
}

// finish moves what the tool has left to the caller.
func finish(t *testing.T, dir string, moves []vcs.Move) {
	t.Helper()
	for _, m := range moves {
		if _, err := os.Lstat(filepath.Join(dir, m.From)); err == nil {
			require.NoError(t, os.Rename(filepath.Join(dir, m.From), filepath.Join(dir, m.To)))
		}
	}
}

func TestGitGoesOnWithRenamedFiles(t *testing.T) {
	top, dir := gitWorld(t)
	there, back := thereAndBack(t, dir)
	write(t, dir, map[string]string{"entities/1.entity_text": "changed"})
	before := run(t, top, "git", "status", "--short", "-uno")
	require.NoError(t, vcs.Rename(dir, there))
	require.NoError(t, vcs.Rename(dir, there), "again does no harm")
	finish(t, dir, there)
	status := run(t, top, "git", "status", "--short", "-z")
	require.Contains(t, status, "entities/2/2.entity_text")
	require.NotContains(t, status, "D ")
	require.Equal(t, 2, strings.Count(status, "R"), status)
	require.Equal(t, 1, strings.Count(status, "RM"), "the change is not staged: %q", status)
	require.Contains(t, status, "?? ")

	require.NoError(t, vcs.Rename(dir, back))
	finish(t, dir, back)
	require.Equal(t, before, run(t, top, "git", "status", "--short", "-uno"))
}

func TestSVNGoesOnWithRenamedFiles(t *testing.T) {
	dir := svnWorld(t)
	there, back := thereAndBack(t, dir)
	write(t, dir, map[string]string{"entities/1.entity_text": "changed"})
	require.NoError(t, vcs.Rename(dir, there))
	require.NoError(t, vcs.Rename(dir, there), "again does no harm")
	finish(t, dir, there)
	require.Equal(t, "?       9", run(t, dir+"/entities", "svn", "status", "9"))
	svnCommit(t, dir)
	log := run(t, dir, "svn", "log", "-q", "entities/2/2.entity_text")
	require.Equal(t, 2, strings.Count(log, "\nr"), "the history goes on: %s", log)
	require.Equal(t, "changed", run(t, dir, "svn", "cat", "entities/1/1.entity_text"))

	require.NoError(t, vcs.Rename(dir, back))
	finish(t, dir, back)
	require.NoDirExists(t, filepath.Join(dir, "entities/1"))
	require.DirExists(t, filepath.Join(dir, "entities/9"), "svn never had it")
	svnCommit(t, dir)
	require.Equal(t, "two", run(t, dir, "svn", "cat", "entities/2.entity_text"))
}

func TestRenamesOfNobodysFilesAreNobodysBusiness(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"entities/1.entity_text": "one"})
	require.NoError(t, vcs.Rename(dir, []vcs.Move{{From: "entities/1.entity_text", To: "entities/1/1.entity_text"}}))
}
