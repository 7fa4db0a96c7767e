package resolve_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/resolve"
)

// gitWorld is a world in a git repository that has nothing set up.
type gitWorld struct {
	*testing.T
	dir string
}

func newGitWorld(t *testing.T) gitWorld {
	w := gitWorld{t, t.TempDir()}
	w.git("init", "-q", "-b", "main")
	w.write(map[string]string{"world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n", ".gitignore": ".worldfs/\n"})
	return w
}

// try runs git, which may fail.
func (w gitWorld) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w gitWorld) git(args ...string) string {
	w.Helper()
	out, err := w.try(args...)
	require.NoError(w, err, "git %v: %s", args, out)
	return out
}

// write writes files. One without a text is removed.
func (w gitWorld) write(files map[string]string) {
	w.Helper()
	for name, text := range files {
		path := filepath.Join(w.dir, name)
		if text == "" {
			require.NoError(w, os.Remove(path))
			continue
		}
		require.NoError(w, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(w, os.WriteFile(path, []byte(text), 0o644))
	}
}

func (w gitWorld) read(name string) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	require.NoError(w, err)
	return string(data)
}

// commit commits files that are written.
func (w gitWorld) commit(files map[string]string) {
	w.Helper()
	w.write(files)
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "c")
}

// merge commits a base and what two sides made of it, and has git merge theirs into ours.
func (w gitWorld) merge(base, ours, theirs map[string]string) {
	w.Helper()
	w.commit(base)
	w.git("checkout", "-q", "-b", "theirs")
	w.commit(theirs)
	w.git("checkout", "-q", "-b", "ours", "main")
	w.commit(ours)
	_, _ = w.try("merge", "-q", "-m", "merged", "theirs")
}

// resolve resolves, and requires that nothing is left.
func (w gitWorld) resolve() *resolve.Resolution {
	w.Helper()
	r, err := resolve.Open(w.dir, resolve.Options{})
	require.NoError(w, err)
	_, err = r.Apply()
	require.NoError(w, err)
	require.Empty(w, r.Left)
	require.Empty(w, r.Unread)
	return r
}

const (
	lampType = "name = \"Lamp\"\nrevision = 1\n\n[[fields]]\nname = \"name\"\nkind = \"string\"\n\n[[fields]]\nname = \"radius\"\nkind = \"u32\"\n"
	extra    = "\n[[fields]]\nname = \"extra\"\nkind = \"u32\"\n"
	lamp     = "Lamp\n1\n7\n; name\n    \"a\"\n; radius\n    1\n"
)

// Lines of a field that a side declares and of which the other wrote no value are read on
// neither side; what git makes of them does not parse, and is no person's text.
func TestATextOfGitsThatDoesNotParse(t *testing.T) {
	for what, ours := range map[string]string{"merged by git": "Lamp\n1\n7\n; name\n    \"b\"\n; radius\n    1\n", "taken by git": lamp} {
		t.Run(what, func(t *testing.T) {
			w := newGitWorld(t)
			w.merge(map[string]string{"types/Lamp.toml": lampType, "entities/7.entity_text": lamp},
				map[string]string{"types/Lamp.toml": lampType + extra, "entities/7.entity_text": ours},
				map[string]string{"entities/7.entity_text": lamp + "; extra\n    1\n    2\n"})
			r := w.resolve()
			require.Len(t, r.Merged.Repairs, 1)
			require.Contains(t, w.read("entities/7.entity_text"), "; extra_lines\n    1\n    2\n")
		})
	}
}

// What a call has staged after git went through with a merge is to be committed: each call
// after it says so, until it is.
func TestTheNextCommandIsSaidUntilItWasTyped(t *testing.T) {
	w := newGitWorld(t)
	w.merge(map[string]string{"types/Lamp.toml": lampType, "entities/7.entity_text": lamp},
		map[string]string{"types/Lamp.toml": lampType + extra},
		map[string]string{"entities/7.entity_text": lamp + "; extra\n    1\n    2\n"})
	for range 2 {
		r, err := resolve.Open(w.dir, resolve.Options{})
		require.NoError(t, err)
		done, err := r.Apply()
		require.NoError(t, err)
		require.Equal(t, "git commit", r.Summary(done).Next)
	}
	w.git("commit", "-q", "-m", "resolved")
	require.Empty(t, w.git("status", "--porcelain"))
	_, err := resolve.Open(w.dir, resolve.Options{})
	require.ErrorIs(t, err, resolve.ErrNothing)
}
