package daemon

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// tree returns what lies below a directory, directories with a slash.
func tree(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			rel += "/"
		}
		paths = append(paths, rel)
		return err
	}))
	return paths[1:]
}

// shardedWorld makes a world in shards of the last digit, with a file of no
// entity in one and another that has nothing else.
func shardedWorld(t *testing.T) *worlddir.Dir {
	t.Helper()
	dir := plainWorld(t)
	convert(t, dir, layout.LastDigit)
	require.NoError(t, os.WriteFile(filepath.Join(dir.EntitiesPath(), "2", "note"), nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir.EntitiesPath(), "9"), 0o755))
	return dir
}

var sharded = []string{"1/", "1/1.entity_text", "2/", "2/2.entity_text", "2/note", "3/", "3/3.entity_text", "9/", "README"}

func convert(t *testing.T, dir *worlddir.Dir, l layout.Layout) {
	t.Helper()
	require.NoError(t, dir.SetShard(l))
	w, err := Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func TestPlainFilesOfAWorldInShards(t *testing.T) {
	dir := shardedWorld(t)
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	require.Equal(t, []string{"1/", "2/", "2/note", "3/", "9/", "README"}, tree(t, dir.HiddenScratchPath()))
	beneath := tree(t, dir.EntitiesPath())
	require.Equal(t, []string{".worldfs-scratch/", worlddir.NotMounted}, []string{beneath[0], beneath[len(beneath)-1]})
	require.NoError(t, f.Restore())
	leave()
	require.Equal(t, sharded, tree(t, dir.EntitiesPath()))
	require.Empty(t, tree(t, dir.ScratchPath()))
}

func TestACrashOnTheWayOfAWorldInShardsIsMended(t *testing.T) {
	for n := 0; ; n++ {
		dir := shardedWorld(t)
		f, leave := openPlainTree(t, dir)
		reached := crashAt(&f, n)
		err := f.Prepare()
		if err == nil {
			err = f.Restore()
		}
		require.Equal(t, *reached, err != nil, "%v", err)
		leave()
		recoverWorld(t, dir, n%2 == 0)
		require.Equal(t, sharded, tree(t, dir.EntitiesPath()))
		if !*reached {
			require.Greater(t, n, 6)
			return
		}
	}
}

func TestConvertingMovesThePlainFiles(t *testing.T) {
	dir := shardedWorld(t)
	convert(t, dir, layout.Tens)
	require.Equal(t, []string{
		"01/", "01/1.entity_text", "02/", "02/2.entity_text", "03/", "03/3.entity_text", "2/", "2/note", "README",
	}, tree(t, dir.EntitiesPath()))
	convert(t, dir, layout.None)
	require.Equal(t, []string{"1.entity_text", "2/", "2/note", "2.entity_text", "3.entity_text", "README"}, tree(t, dir.EntitiesPath()))
	w, err := Open(dir, nil)
	require.NoError(t, err)
	st, err := w.Status()
	require.NoError(t, err)
	require.Equal(t, 3, st.Files)
	require.Empty(t, st.Findings)
	require.NoError(t, w.Close())
}

// What is no file in an entity's new place is not read, and stays; so does the entity's file.
func TestConvertingReadsNoPipe(t *testing.T) {
	dir := plainWorld(t)
	at := func(name string) string { return filepath.Join(dir.EntitiesPath(), name) }
	for _, shard := range []string{"1", "2", "3"} {
		require.NoError(t, os.Mkdir(at(shard), 0o755))
	}
	require.NoError(t, unix.Mkfifo(at("1/1.entity_text"), 0o644))
	require.NoError(t, os.Symlink("/dev/zero", at("2/2.entity_text")))
	same, err := os.ReadFile(at("3.entity_text"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("3/3.entity_text"), same, 0o644))
	require.NoError(t, dir.SetShard(layout.LastDigit))
	unlock, err := dir.Lock()
	require.NoError(t, err)
	defer unlock()
	world, err := cache.Open(dir, cache.Options{})
	require.NoError(t, err)
	require.NoError(t, world.Relocate([]string{dir.EntitiesPath()}, func(string, []cache.PlainMove) error { return nil }))
	require.NoError(t, world.Close())
	require.Equal(t, []string{"1/", "1/1.entity_text", "1.entity_text", "2/", "2/2.entity_text", "2.entity_text", "3/", "3/3.entity_text", "README"},
		tree(t, dir.EntitiesPath()))
}

// Killed at any step of a conversion, the next that opens the world finishes
// it, and git knows of the renames.
func TestAConversionThatIsCutOffIsFinished(t *testing.T) {
	for n := 0; ; n++ {
		dir := plainWorld(t)
		git := func(args ...string) string {
			cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", dir.Root}, args...)...)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			return string(out)
		}
		git("init", "-q")
		git("add", "-A")
		git("commit", "-q", "-m", "x")
		require.NoError(t, dir.SetShard(layout.LastDigit))
		unlock, err := dir.Lock()
		require.NoError(t, err)
		var left atomic.Int64 // the world does some steps by itself
		left.Store(int64(n))
		reached := func() bool { return left.Load() < 0 }
		world, err := cache.Open(dir, cache.Options{Disk: &disk.Disk{Fault: func(step string) error {
			if left.Add(-1) >= 0 {
				return nil
			}
			return fmt.Errorf("crash at %s", step)
		}}})
		if err == nil {
			err = plaintree.Tree{Dir: dir, World: world}.Recover()
			require.False(t, err != nil && !reached(), "%v", err) // a kept pack may fail and is done without
			_ = world.Close()                                     // which may fail, too
		}
		unlock()
		w, err := Open(dir, nil)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		want := slices.DeleteFunc(slices.Clone(sharded), func(p string) bool { return p == "2/note" || p == "9/" })
		require.Equal(t, want, tree(t, dir.EntitiesPath()))
		require.Equal(t, " M world.toml\nR  entities/1.entity_text -> entities/1/1.entity_text\nR  entities/2.entity_text -> entities/2/2.entity_text\n"+
			"R  entities/3.entity_text -> entities/3/3.entity_text\n", sortedLines(git("status", "--short", "-uno")))
		if !reached() {
			require.GreaterOrEqual(t, n, 3)
			return
		}
	}
}

func sortedLines(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// Killed at any step of mending a checkout across a change of shard that met an edit, the next
// that opens the world leaves both files, and nothing of its own beside them.
func TestMendingACheckoutThatMetAnEditIsFinished(t *testing.T) {
	for n := 0; ; n++ {
		dir := plainWorld(t)
		leaveHalfCheckedOut(t, dir)
		f, leave := openPlainTree(t, dir)
		reached := crashAt(&f, n)
		err := f.Recover()
		require.Equal(t, *reached, err != nil, "%v", err)
		leave()
		recoverWorld(t, dir, n%2 == 0)
		former := "1.entity_text"
		if _, err := os.Lstat(filepath.Join(dir.EntitiesPath(), former)); err != nil {
			former = "01/1.entity_text" // the layout was noted before: it is not known any more
		}
		have := slices.DeleteFunc(tree(t, dir.EntitiesPath()), func(at string) bool { return at == former || at == "01/" })
		require.Equal(t, []string{"1/", "1/1.entity_text", "2/", "2/2.entity_text", "3/", "3/3.entity_text", "README"}, have, "step %d", n)
		for at, want := range map[string]string{former: `"uno"`, "1/1.entity_text": `"eins"`} {
			text, err := os.ReadFile(filepath.Join(dir.EntitiesPath(), at))
			require.NoError(t, err)
			require.Contains(t, string(text), want)
		}
		require.Empty(t, tree(t, dir.ScratchPath()))
		left, err := filepath.Glob(filepath.Join(dir.StatePath(), ".*"))
		require.NoError(t, err)
		require.Empty(t, left)
		if !*reached {
			require.Greater(t, n, 6)
			return
		}
	}
}

// leaveHalfCheckedOut leaves a world as a mount that was killed after an edit, and after a
// checkout had written the entity's file where shard has it since.
func leaveHalfCheckedOut(t *testing.T, dir *worlddir.Dir) {
	t.Helper()
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	file, err := f.World.Lookup(1)
	require.NoError(t, err)
	text, err := file.Text()
	require.NoError(t, err)
	rename(t, f.World, `"one"`, `"uno"`)
	leave()
	require.NoError(t, dir.SetShard(layout.LastDigit))
	shard := filepath.Join(dir.HiddenScratchPath(), "1")
	require.NoError(t, os.Mkdir(shard, 0o755))
	theirs := strings.Replace(string(text), `"one"`, `"eins"`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(shard, "1.entity_text"), []byte(theirs), 0o644))
}
