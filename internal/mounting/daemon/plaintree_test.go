package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

const testWorld = `{"type":{"name":"Door","revision":1,"fields":[{"name":"name","kind":"string"}]}}
{"entity":{"id":1,"type":"Door","revision":1,"fields":{"name":"one"}}}
{"entity":{"id":2,"type":"Door","revision":1,"fields":{"name":"two"}}}
{"entity":{"id":3,"type":"Door","revision":1,"fields":{"name":"three"}}}
`

// plainWorld makes a world with three entities in plain files, and a file that
// is no entity's.
func plainWorld(t *testing.T) *worlddir.Dir {
	t.Helper()
	plain := true
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{Plain: &plain})
	require.NoError(t, err)
	w, err := Open(dir, nil)
	require.NoError(t, err)
	_, err = w.Import(strings.NewReader(testWorld), "test", ImportOptions{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir.EntitiesPath(), "README"), []byte("read me"), 0o644))
	return dir
}

// openPlainTree opens a world without bringing its files in order, as a daemon
// does. leave gives it up as a process does that is killed.
func openPlainTree(t *testing.T, dir *worlddir.Dir) (f plaintree.Tree, leave func()) {
	t.Helper()
	unlock, err := dir.Lock()
	require.NoError(t, err)
	world, err := cache.Open(dir, cache.Options{})
	require.NoError(t, err)
	return plaintree.Tree{Dir: dir, World: world}, func() {
		require.NoError(t, world.Close())
		unlock()
	}
}

// rename edits an entity as the mount does.
func rename(t *testing.T, w *cache.World, from, to string) {
	t.Helper()
	file, err := w.Lookup(1)
	require.NoError(t, err)
	text, err := file.Text()
	require.NoError(t, err)
	_, err = file.WriteAt([]byte(strings.Replace(string(text), from, to, 1)), 0)
	require.NoError(t, err)
	require.NoError(t, file.Sync())
}

func requireWhole(t *testing.T, dir *worlddir.Dir, one string) {
	t.Helper()
	for name, text := range map[string]string{
		"1.entity_text": one, "2.entity_text": "two", "3.entity_text": "three", "README": "read me",
	} {
		got, err := os.ReadFile(filepath.Join(dir.EntitiesPath(), name))
		require.NoError(t, err)
		require.Contains(t, string(got), text)
	}
	entries, err := os.ReadDir(dir.EntitiesPath())
	require.NoError(t, err)
	require.Len(t, entries, 4)
	require.NoDirExists(t, dir.PlainPath())
	scratch, err := os.ReadDir(dir.ScratchPath())
	require.NoError(t, err)
	require.Empty(t, scratch)
}

func TestPlainFilesThereAndBack(t *testing.T) {
	dir := plainWorld(t)
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	require.FileExists(t, filepath.Join(dir.EntitiesPath(), worlddir.NotMounted))
	require.FileExists(t, filepath.Join(dir.HiddenScratchPath(), "README"))
	require.NoFileExists(t, filepath.Join(dir.EntitiesPath(), "1.entity_text"))
	rename(t, f.World, `"one"`, `"uno"`)
	require.NoError(t, f.Restore())
	leave()
	requireWhole(t, dir, "uno")
}

// crashAt makes the n-th step fail, and reports whether there were so many.
func crashAt(f *plaintree.Tree, n int) (reached *bool) {
	reached = new(bool)
	f.Disk.Fault = func(step string) error {
		if info, err := os.Lstat(f.Dir.EntitiesPath()); err != nil || !info.IsDir() {
			return fmt.Errorf("entities/ is missing at %s", step)
		}
		if n--; n >= 0 {
			return nil
		}
		*reached = true
		return fmt.Errorf("crash at %s", step)
	}
	return reached
}

func TestACrashOnTheWayToTheMountIsMended(t *testing.T) {
	for n := 0; ; n++ {
		dir := plainWorld(t)
		f, leave := openPlainTree(t, dir)
		reached := crashAt(&f, n)
		err := f.Prepare()
		require.Equal(t, *reached, err != nil, "%v", err)
		leave()
		recoverWorld(t, dir, n%2 == 0)
		requireWhole(t, dir, "one")
		if !*reached {
			require.Greater(t, n, 3)
			return
		}
	}
}

func TestACrashOnTheWayBackIsMended(t *testing.T) {
	for n := 0; ; n++ {
		dir := plainWorld(t)
		f, leave := openPlainTree(t, dir)
		require.NoError(t, f.Prepare())
		rename(t, f.World, `"one"`, `"uno"`)
		reached := crashAt(&f, n)
		err := f.Restore()
		require.Equal(t, *reached, err != nil, "%v", err)
		leave()
		if text, err := os.ReadFile(filepath.Join(dir.EntitiesPath(), "1.entity_text")); err == nil {
			require.Contains(t, string(text), "uno", "a stale file could be committed")
		}
		recoverWorld(t, dir, n%2 == 0)
		requireWhole(t, dir, "uno")
		if !*reached {
			require.Greater(t, n, 2)
			return
		}
	}
}

// recoverWorld uses the world after a crash: with a command, or by mounting
// and unmounting it.
func recoverWorld(t *testing.T, dir *worlddir.Dir, mount bool) {
	t.Helper()
	if mount {
		f, leave := openPlainTree(t, dir)
		require.NoError(t, f.Prepare())
		require.NoError(t, f.Restore())
		leave()
		return
	}
	w, err := Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func TestNothingInEntitiesIsReplacedOrLost(t *testing.T) {
	dir := plainWorld(t)
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	rename(t, f.World, `"one"`, `"uno"`)
	leave()
	// After the crash someone writes files of their own.
	path := func(name string) string { return filepath.Join(dir.EntitiesPath(), name) }
	require.NoError(t, os.WriteFile(path("2.entity_text"), []byte("Door\n1\n2\n; name\n    \"zwei\"\n"), 0o644))
	require.NoError(t, os.WriteFile(path("README"), []byte("another"), 0o644))
	w, err := Open(dir, nil)
	require.NoError(t, err)
	text, err := w.Text(2)
	require.NoError(t, err)
	require.Contains(t, string(text), "zwei")
	require.NoError(t, w.Close())
	for name, want := range map[string]string{
		"1.entity_text": "uno", "2.entity_text": "zwei", "3.entity_text": "three", "README": "another", "README~": "read me",
	} {
		got, err := os.ReadFile(path(name))
		require.NoError(t, err)
		require.Contains(t, string(got), want)
	}
}

func TestAWorldWithoutPlainFilesStaysSo(t *testing.T) {
	no := false
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "w"), worlddir.InitOptions{Plain: &no})
	require.NoError(t, err)
	w, err := Open(dir, nil)
	require.NoError(t, err)
	_, err = w.Import(strings.NewReader(testWorld), "test", ImportOptions{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	require.NoError(t, f.Restore())
	leave()
	entries, err := os.ReadDir(dir.EntitiesPath())
	require.NoError(t, err)
	require.Empty(t, entries)
	_, err = os.Lstat(dir.PlainPath())
	require.True(t, errors.Is(err, os.ErrNotExist))
}
