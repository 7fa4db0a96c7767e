package mergestudy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
)

const resolveCases = 40

// repository is a git repository with a world of texts in it.
type repository struct {
	*testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	r := &repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.write("world.toml", []byte("id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n"))
	r.write(".gitignore", []byte(".worldfs/\n"))
	return r
}

func (r *repository) write(name string, data []byte) {
	path := filepath.Join(r.dir, name)
	require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r, os.WriteFile(path, data, 0o644))
}

// try runs git and returns what it printed and whether it succeeded.
func (r *repository) try(args ...string) (string, bool) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func (r *repository) git(args ...string) string {
	out, ok := r.try(args...)
	require.True(r, ok, "git %v: %s", args, out)
	return out
}

// commit commits a world on a branch.
func (r *repository) commit(branch string, w *entity.World) {
	require.NoError(r, os.RemoveAll(filepath.Join(r.dir, "entities")))
	require.NoError(r, os.RemoveAll(filepath.Join(r.dir, "types")))
	_, err := typefile.WriteDir(filepath.Join(r.dir, "types"), w.Types.All())
	require.NoError(r, err)
	for e := range w.All() {
		r.write("entities/"+layout.FileName(e.ID), text(e))
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", branch)
}

// begin has git merge the sides of a case, in one of its ways.
func (r *repository) begin(c *threeWay, way string) {
	r.commit("base", c.base)
	r.git("checkout", "-q", "-b", "theirs")
	r.commit("theirs", c.sides[1].world)
	r.git("checkout", "-q", "-b", "ours", "main")
	r.commit("ours", c.sides[0].world)
	switch way {
	case "merge":
		r.try("merge", "-q", "-m", "merged", "theirs")
	case "rebase": // theirs, the person's own, onto ours
		r.git("checkout", "-q", "theirs")
		r.try("rebase", "-q", "ours")
	case "cherry-pick":
		r.try("cherry-pick", "theirs")
	}
}

func (r *repository) texts() map[entity.ID][]byte {
	texts := make(map[entity.ID][]byte)
	entries, err := os.ReadDir(filepath.Join(r.dir, "entities"))
	require.True(r, err == nil || os.IsNotExist(err))
	for _, e := range entries {
		id, ok := layout.ParseFileName(e.Name())
		require.True(r, ok, e.Name())
		texts[id], err = os.ReadFile(filepath.Join(r.dir, "entities", e.Name()))
		require.NoError(r, err)
	}
	return texts
}

// TestResolveBringsTheMergeHome has git merge generated cases, each in one of its ways:
// after resolve the files say what the merged world does, nothing is damaged that the
// sides do not disagree about, and to resolve again changes nothing more.
func TestResolveBringsTheMergeHome(t *testing.T) {
	for i := range uint64(resolveCases) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			testResolve(t, i)
		})
	}
}

func testResolve(t *testing.T, i uint64) {
	ways := []string{"merge", "rebase", "cherry-pick"}
	c := newCase(testSeed, i)
	way := ways[i%3]
	r := newRepository(t)
	r.begin(c, way)
	res, err := resolve.Open(r.dir, resolve.Options{})
	if err != nil {
		require.ErrorIs(t, err, resolve.ErrNothing)
		require.Equal(t, "cherry-pick", way, "git goes through with it and leaves no trace")
		return
	}
	_, err = res.Apply()
	require.NoError(t, err)
	o := c.readFiles(r.texts(), &outcome{})
	for _, n := range res.Merged.Renumbered {
		o.renumber(n)
	}
	require.Empty(t, res.Stands, way)
	want := res.Merged.World(c.base.ID)
	for e, f := range entity.Differing(o.world, want) {
		t.Fatalf("%s: %v is %s, want %s", way, res.Merged.Conflicts, e, f)
	}
	unmerged := strings.TrimSpace(r.git("diff", "--name-only", "--diff-filter=U"))
	require.Equal(t, len(res.Left) > 0, unmerged != "", "%s: %s, left %v", way, unmerged, res.Left)
	before := r.git("status", "--porcelain")
	again, err := resolve.Open(r.dir, resolve.Options{})
	require.NoError(t, err)
	done, err := again.Apply()
	require.NoError(t, err)
	require.Equal(t, resolve.Done{}, done, way)
	require.Equal(t, before, r.git("status", "--porcelain"))
	require.Equal(t, len(res.Left), len(again.Left), way)
	for _, text := range r.texts() {
		require.Equal(t, len(res.Left) > 0 && bytes.Contains(text, []byte("<<<<<<<")), bytes.Contains(text, []byte("<<<<<<<")))
	}
}
