package vcs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// run runs a tool in a directory. That it is not installed is a failure: see
// scripts/setup.sh.
func run(t *testing.T, dir, tool string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s: %s", tool, args, out)
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
}

// read returns the files of a query by name.
func read(t *testing.T, r vcs.Reader, q vcs.Query) map[string]string {
	t.Helper()
	got := make(map[string]string)
	for f, err := range r.Files(q) {
		require.NoError(t, err)
		require.NotContains(t, got, f.Name)
		switch f.Kind {
		case vcs.Regular:
			require.EqualValues(t, len(f.Data), f.Size)
			got[f.Name] = string(f.Data)
		case vcs.Symlink:
			got[f.Name] = "(symlink)"
		default:
			got[f.Name] = "(other)"
		}
	}
	return got
}

// failure returns the error that a query ends with.
func failure(t *testing.T, r vcs.Reader, q vcs.Query) error {
	t.Helper()
	var last error
	for _, err := range r.Files(q) {
		last = err
	}
	require.Error(t, last)
	return last
}
