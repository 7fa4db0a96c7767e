package rangecheck_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/rangecheck"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func newWorld(t *testing.T, ranges string, ids ...entity.ID) *idalloc.World {
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", worlddir.RoleVariable: "", "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.org",
	} {
		t.Setenv(name, value)
	}
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
	require.NoError(t, err)
	dir.Settings.Role = "Ann"
	var entities entity.World
	for _, id := range ids {
		entities.Put(lamp(id))
		path := filepath.Join(dir.EntitiesPath(), id.String()+".entity_text")
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	}
	w := idalloc.New(dir, &entities, nil)
	w.Machine.Sys = home
	write(t, w, ranges)
	return w
}

// lamp returns an entity of some type.
func lamp(id entity.ID) *entity.Entity {
	for e := range island.Generate(60, 1).All() {
		return entity.New(id, e.Layout)
	}
	return nil
}

func write(t *testing.T, w *idalloc.World, text string) {
	require.NoError(t, os.WriteFile(w.Dir.RangesPath(), []byte(text), 0o644))
}

func read(t *testing.T, w *idalloc.World) string {
	data, err := os.ReadFile(w.Dir.RangesPath())
	require.NoError(t, err)
	return string(data)
}

func git(t *testing.T, w *idalloc.World, args ...string) {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", w.Dir.Root}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// found returns the findings, each as its code and what it is about.
func found(t *testing.T, w *idalloc.World) string {
	t.Helper()
	findings, err := rangecheck.World(context.Background(), w)
	require.NoError(t, err)
	var all []string
	for _, f := range findings {
		text := f.Code
		if f.ID != 0 {
			text += " " + f.ID.String()
		}
		require.Equal(t, entity.Blocks(f.Code), f.Blocks)
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func TestWhatIsInDoubtIsFound(t *testing.T) {
	w := newWorld(t, "100 200 Ann\n300 400 Bob\n500 600 Clusters disposable\n", 100, 301)
	require.Empty(t, found(t, w))
	w = newWorld(t, "100 200 Ann\n150 160 Bob\n", 100, 155, 300, 301)
	require.Equal(t, "ranges-overlap, id-outside 300", found(t, w))
	write(t, w, "100 200 Ann\n")
	require.Equal(t, "id-outside 300", found(t, w))
	write(t, w, "<<<<<<< ours\n")
	require.Equal(t, "ranges-file, id-outside 300", found(t, w), "the last good file stays in force")
	require.NoError(t, os.Remove(w.Dir.RangesPath()))
	require.Equal(t, "ranges-gone, id-outside 300", found(t, w), "and where there is none any more")
	write(t, w, "")
	require.Empty(t, found(t, w), "where nobody has a range nobody minds")

	w.Dir.Settings.SharedRole = "Everybody"
	require.Equal(t, "role-shared", found(t, w))
}

// What was made here with somebody else's ID is found until it is committed; a range that
// others do not know is found until it is.
func TestWhatOthersDoNotKnowIsFound(t *testing.T) {
	w := newWorld(t, "100 200 Ann\n300 400 Bob\n500 600 Clusters disposable\n", 100, 301)
	git(t, w, "init", "-q", "-b", "main")
	git(t, w, "add", "-A")
	git(t, w, "commit", "-q", "-m", "all")
	require.Empty(t, found(t, w))

	for _, id := range []entity.ID{101, 302, 501} {
		w.Entities.(*entity.World).Put(lamp(id))
		require.NoError(t, os.WriteFile(filepath.Join(w.Dir.EntitiesPath(), id.String()+".entity_text"), []byte("x"), 0o644))
	}
	require.Equal(t, "id-foreign 302", found(t, w))
	write(t, w, read(t, w)+"700 800 Ann\n900 910 Bob\n")
	require.Equal(t, "range-unknown, id-foreign 302", found(t, w))

	// An ID that another role had on this machine is nobody else's.
	bob := *w
	dir := *w.Dir
	dir.Settings.Role = "Bob"
	bob.Dir = &dir
	_, err := bob.Next(context.Background(), 3)
	require.NoError(t, err)
	require.Equal(t, "range-unknown", found(t, w))
	git(t, w, "add", "-A")
	git(t, w, "commit", "-q", "-m", "more")
	require.Empty(t, found(t, w))
}

func TestTheFirstToBePublishedKeepsARange(t *testing.T) {
	w := newWorld(t, "# ours\n1000 2000 Bob\n", 1500)
	git(t, w, "init", "-q", "-b", "main")
	git(t, w, "add", "-A")
	git(t, w, "commit", "-q", "-m", "all")
	write(t, w, "# ours\n1000 2000 Ann #Ann\n1000 2000 Bob\n") // before it in the file, but new
	settled, err := rangecheck.Settle(context.Background(), w)
	require.NoError(t, err)
	require.Len(t, settled, 1)
	require.Equal(t, []string{"Bob"}, settled[0].Keeps.Keys)
	require.Equal(t, 1, settled[0].Inside)
	require.Equal(t, "# ours\n     2000      3000 Ann #Ann\n1000 2000 Bob\n", read(t, w))
	require.Equal(t, "range-unknown", found(t, w))

	settled, err = rangecheck.Settle(context.Background(), w)
	require.NoError(t, err)
	require.Empty(t, settled)
}

func TestARangeIsCutDownToWhatOnlyItHas(t *testing.T) {
	w := newWorld(t, "1000 2000 Ann\n1500 1600 Bob\n900 1100 Cid\n1000 2000 Dan\n")
	_, err := rangecheck.Settle(context.Background(), w)
	require.NoError(t, err)
	require.Empty(t, found(t, w))
	require.Equal(t, "1000 2000 Ann\n     3000      3100 Bob\n      900      1000 Cid\n     2000      3000 Dan\n", read(t, w), "without version control the first line counts")
}

func TestWhatCameFromElsewhereGetsARange(t *testing.T) {
	w := newWorld(t, "", 7, 1500, 9100, 250_000)
	added, err := rangecheck.Cover(w)
	require.NoError(t, err)
	require.Len(t, added, 2)
	require.Equal(t, "        1     10000 Imported #what there was\n   250000    251000 Imported #what there was\n", read(t, w))
	require.Empty(t, found(t, w))

	w = newWorld(t, "1000 2000 Ann\n5000 9050 Bob\n", 7, 1500, 2000, 4999, 9100)
	_, err = rangecheck.Cover(w)
	require.NoError(t, err)
	require.Empty(t, found(t, w))
	require.Equal(t, 5, strings.Count(read(t, w), "\n"))
}
