package pull_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/pull"
)

// An update of svn's leaves what is here as edits that are not committed; one that
// stopped is finished.
func TestAnUpdateOfSVN(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir()) // svn keeps settings there
	svn := func(args ...string) string {
		cmd := exec.Command("svn", append([]string{"--non-interactive"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "svn %v: %s", args, out)
		return string(out)
	}
	out, err := exec.Command("svnadmin", "create", filepath.Join(dir, "up")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	url := "file://" + filepath.Join(dir, "up")
	ann, bob := repository{T: t, top: dir, root: filepath.Join(dir, "w")}, repository{T: t, top: filepath.Join(dir, "bob")}
	svn("checkout", "-q", url, ".")
	ann.write(files{"w/world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n", "w/types/Lamp.toml": lampType,
		name(1): lamp(1, 1, "a"), name(2): lamp(2, 1, "a"), "notes": "a\n"})
	svn("add", "-q", "w", "notes")
	svn("commit", "-q", "-m", "base")
	svn("update", "-q")
	svn("checkout", "-q", url, "bob")
	bob.write(files{name(1): lamp(1, 2, "a"), name(2): lamp(2, 2, "a"), "notes": "b\n"})
	svn("commit", "-q", "-m", "theirs", "bob")

	require.False(t, ann.look(pull.Options{}).Nothing())
	ann.write(files{name(1): lamp(1, 1, "b"), name(2): lamp(2, 3, "a"), "notes": "c\n"})
	in := ann.look(pull.Options{})
	require.Equal(t, "svn r2 theirs", in.Upstream+" "+in.Commits[0].ID+" "+in.Commits[0].Subject)
	_, err = in.Take()
	require.ErrorIs(t, err, pull.ErrOutside)
	svn("revert", "-q", "notes")

	_, err = ann.look(stopping(3)).Take()
	require.ErrorIs(t, err, errStop)
	taken, err := pull.Finish(ann.root, pull.Options{})
	require.NoError(t, err)
	require.Len(t, taken.Resolution.Left, 1)
	for name, want := range map[string]string{name(1): lamp(1, 2, "b"), "notes": "b\n"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	text, err := os.ReadFile(filepath.Join(dir, name(2)))
	require.NoError(t, err)
	require.Contains(t, string(text), "<<<<<<<")
	taken, err = pull.Finish(ann.root, pull.Options{})
	require.NoError(t, err)
	require.Nil(t, taken, "it has ended")
	_, err = pull.Look(ann.root, pull.Options{})
	require.ErrorContains(t, err, "svn has conflicts that are left from before")
}
