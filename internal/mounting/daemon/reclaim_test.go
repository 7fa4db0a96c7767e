package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// A daemon is killed amid a checkout across a change of shard, which has deleted two
// entities' files and written one anew, and had just made the other. Each entity
// has one file afterwards, in the layout that world.toml then names.
func TestACheckoutAcrossAChangeOfShardThatIsCutOff(t *testing.T) {
	for _, mount := range []bool{false, true} {
		for l, want := range map[layout.Layout][]string{
			layout.None:      {"1.entity_text", "2.entity_text", "3.entity_text", "README"},
			layout.LastDigit: {"1/", "1/1.entity_text", "2/", "2/2.entity_text", "3/", "3/3.entity_text", "README"},
		} {
			dir := plainWorld(t)
			f, leave := openPlainTree(t, dir)
			require.NoError(t, f.Prepare())
			require.NoError(t, f.World.Remove(1))
			require.NoError(t, f.World.Remove(2))
			require.NoError(t, f.World.SyncAll())
			for at, text := range map[string]string{"1/1": doorText("1", "uno"), "2/2": "", "3/3": doorText("3", "three")} {
				path := filepath.Join(dir.HiddenScratchPath(), at+layout.Suffix)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			}
			dir = killedNow(t, dir, leave)
			require.NoError(t, dir.SetShard(l))
			recoverWorld(t, dir, mount)
			require.Equal(t, want, tree(t, dir.EntitiesPath()))
			for id, name := range map[string]string{"1": "uno", "2": "two", "3": "three"} {
				at, _ := filepath.Glob(filepath.Join(dir.EntitiesPath(), "*", id+layout.Suffix))
				flat, _ := filepath.Glob(filepath.Join(dir.EntitiesPath(), id+layout.Suffix))
				text, err := os.ReadFile(append(at, flat...)[0])
				require.NoError(t, err)
				require.Equal(t, doorText(id, name), string(text))
			}
		}
	}
}

// killedNow returns a copy of a world that is open, as it is when its process is killed
// now, and gives the world up.
func killedNow(t *testing.T, dir *worlddir.Dir, leave func()) *worlddir.Dir {
	t.Helper()
	root := filepath.Join(t.TempDir(), "killed")
	run(t, dir.Root, "cp", "-a", dir.Root, root)
	leave()
	left, err := worlddir.Open(root)
	require.NoError(t, err)
	return left
}

// A file in another layout's place that differs from what its entity has stays what it
// is: a copy that somebody made.
func TestACopyInAnotherLayoutsPlaceStaysOne(t *testing.T) {
	dir := plainWorld(t)
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	require.NoError(t, f.World.Remove(2))
	require.NoError(t, f.World.SyncAll())
	require.NoError(t, os.Mkdir(filepath.Join(dir.HiddenScratchPath(), "1"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir.HiddenScratchPath(), "1", "1.entity_text"), []byte(doorText("1", "uno")), 0o644))
	dir = killedNow(t, dir, leave)
	recoverWorld(t, dir, false)
	require.Equal(t, []string{"1/", "1/1.entity_text", "1.entity_text", "3.entity_text", "README"}, tree(t, dir.EntitiesPath()))
	require.Equal(t, "one", doors(t, dir)["1"])
}

// A daemon is killed between an update across a change of shard and what follows from that in
// a mount. A file that was edited, which svn has left, is in its old place as it was, and the
// entity has what svn has written; so it is after the next kill.
func TestAnEditThatACheckoutLeftIsInItsOldPlace(t *testing.T) {
	for _, mount := range []bool{false, true} {
		dir := plainWorld(t)
		f, leave := openPlainTree(t, dir)
		require.NoError(t, f.Prepare())
		edit(t, f.World, 1, doorText("1", "uno"))
		for at, text := range map[string]string{"1/1": doorText("1", "one"), "2/2": doorText("2", "two"), "3/3": doorText("3", "three")} {
			path := filepath.Join(dir.HiddenScratchPath(), at+layout.Suffix)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		for range 2 {
			require.NoError(t, f.World.Sync()) // nothing is written while it is copied
			dir = killedNow(t, dir, leave)
			require.NoError(t, dir.SetShard(layout.LastDigit))
			recoverWorld(t, dir, mount)
			require.Equal(t, []string{"1/", "1/1.entity_text", "1.entity_text", "2/", "2/2.entity_text", "3/", "3/3.entity_text", "README"}, tree(t, dir.EntitiesPath()))
			for at, want := range map[string]string{"1.entity_text": "uno", "1/1.entity_text": "one"} {
				text, err := os.ReadFile(filepath.Join(dir.EntitiesPath(), at))
				require.NoError(t, err)
				require.Equal(t, doorText("1", want), string(text))
			}
			f, leave = openPlainTree(t, dir)
			require.NoError(t, f.Prepare())
		}
		leave()
	}
}

// edit has an entity's file hold a text, durably.
func edit(t *testing.T, w *cache.World, id entity.ID, text string) {
	t.Helper()
	file, err := w.Lookup(id)
	require.NoError(t, err)
	size := int64(0)
	require.NoError(t, file.SetAttr(cache.AttrChange{Size: &size}))
	_, err = file.WriteAt([]byte(text), 0)
	require.NoError(t, err)
	require.NoError(t, file.Sync())
}
