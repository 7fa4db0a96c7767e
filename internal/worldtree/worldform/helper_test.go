package worldform_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

func TestMain(m *testing.M) {
	// What daemons leave in the runtime directory belongs to the test.
	dir, err := os.MkdirTemp("", "worldform")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_RUNTIME_DIR", dir)
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// run runs a tool in a directory. That it is not installed is a failure: see
// scripts/setup.sh.
func run(t testing.TB, dir, tool string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s: %s", tool, args, out)
	return strings.TrimSpace(string(out))
}

func gitInit(t testing.TB, dir string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o777))
	run(t, dir, "git", "init", "-q", "-b", "main")
}

func gitCommit(t testing.TB, dir string) {
	t.Helper()
	run(t, dir, "git", "add", "-A")
	run(t, dir, "git", "commit", "-q", "-m", "x")
}

func svnInit(t testing.TB, dir string) {
	t.Helper()
	repository := filepath.Join(t.TempDir(), "repository")
	run(t, "", "svnadmin", "create", repository)
	run(t, "", "svn", "checkout", "-q", "file://"+repository, dir)
}

func svnCommit(t testing.TB, dir string) {
	t.Helper()
	run(t, dir, "svn", "add", "-q", "--force", ".")
	run(t, dir, "svn", "commit", "-q", "-m", "x")
	run(t, dir, "svn", "update", "-q")
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
}

func open(t testing.TB, name string, o worldform.Options) *worldform.World {
	t.Helper()
	w, err := worldform.Open(name, o)
	require.NoError(t, err)
	return w
}

// export returns the one text that a world has in the interchange form.
func export(t testing.TB, w *worldform.World) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, interchange.Write(&b, w.Types, w.Source, nil))
	return b.String()
}

func sample() *worldform.World {
	w := island.Generate(200, 1)
	return &worldform.World{ID: w.ID, Types: w.Types, Source: w}
}

const (
	lampType = "name = \"Lamp\"\nrevision = 1\n\n[[fields]]\nname = \"radius\"\nkind = \"u32\"\n"
	lampText = "Lamp\n1\n%ID%\n; radius\n    %RADIUS%\n"
)

func lamp(id, radius string) string {
	return strings.NewReplacer("%ID%", id, "%RADIUS%", radius).Replace(lampText)
}

func codes(findings []entity.Finding) []string {
	out := []string{}
	for _, f := range findings {
		out = append(out, f.Code)
	}
	return out
}
