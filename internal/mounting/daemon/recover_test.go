package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// git runs git in a world's directory.
func git(t *testing.T, dir *worlddir.Dir, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{
		"-C", dir.Root, "-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main",
	}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return string(out)
}

func doorText(id, name string) string { return "Door\n1\n" + id + "\n; name\n    \"" + name + "\"\n" }

func writeDoor(t *testing.T, dir *worlddir.Dir, id, name string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir.EntitiesPath(), id+".entity_text"), []byte(doorText(id, name)), 0o644))
}

// crashedInGit is a world in git that was mounted, had entity 1 renamed to
// uno, and was killed. The branch other has another 2, no 3, and a 4. Entity 9
// was never committed.
func crashedInGit(t *testing.T) *worlddir.Dir {
	dir := plainWorld(t)
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "main")
	git(t, dir, "checkout", "-qb", "other")
	writeDoor(t, dir, "2", "zwei")
	writeDoor(t, dir, "4", "vier")
	require.NoError(t, os.Remove(filepath.Join(dir.EntitiesPath(), "3.entity_text")))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "other")
	git(t, dir, "checkout", "-q", "main")
	writeDoor(t, dir, "9", "nine")
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	rename(t, f.World, `"one"`, `"uno"`)
	leave()
	require.Empty(t, doors(t, dir))
	return dir
}

// doors returns the names of the doors in the plain files, by file.
func doors(t *testing.T, dir *worlddir.Dir) map[string]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir.EntitiesPath(), "*.entity_text"))
	require.NoError(t, err)
	names := make(map[string]string)
	for _, path := range found {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		_, name, _ := strings.Cut(string(text), "; name\n    \"")
		names[strings.TrimSuffix(filepath.Base(path), ".entity_text")] = strings.TrimSuffix(name, "\"\n")
	}
	return names
}

func TestWhatIsCheckedOutAfterACrashIsMerged(t *testing.T) {
	for _, c := range []struct {
		checkout []string
		want     map[string]string
	}{
		{nil, map[string]string{"1": "uno", "2": "two", "3": "three", "9": "nine"}},
		{[]string{"checkout", "-q", "--", "."}, map[string]string{"1": "uno", "2": "two", "3": "three", "9": "nine"}},
		{[]string{"checkout", "-q", "--", "entities/2.entity_text"}, map[string]string{"1": "uno", "2": "two", "3": "three", "9": "nine"}},
		{[]string{"checkout", "-q", "other"}, map[string]string{"1": "uno", "2": "zwei", "4": "vier", "9": "nine"}},
		{[]string{"reset", "-q", "--hard", "other"}, map[string]string{"1": "uno", "2": "zwei", "4": "vier", "9": "nine"}},
	} {
		for _, mount := range []bool{false, true} {
			t.Run(strings.Join(c.checkout, " "), func(t *testing.T) {
				dir := crashedInGit(t)
				if len(c.checkout) > 0 {
					git(t, dir, c.checkout...)
				}
				recoverWorld(t, dir, mount)
				require.Equal(t, c.want, doors(t, dir))
				require.NoDirExists(t, dir.PlainPath())
				status := git(t, dir, "status", "--porcelain")
				require.Equal(t, " M entities/1.entity_text\n?? entities/9.entity_text\n", status)
			})
		}
	}
}

// An entity's file that stands empty after a crash has what is checked out in its
// place, although that is what its plain file was before.
func TestWhatIsCheckedOutAfterACrashFillsAnEmptyFile(t *testing.T) {
	dir := crashedInGit(t)
	f, leave := openPlainTree(t, dir)
	file, err := f.World.Lookup(2)
	require.NoError(t, err)
	require.NoError(t, file.SetAttr(cache.AttrChange{Size: new(int64)}))
	leave()
	git(t, dir, "checkout", "-q", "--", ".")
	recoverWorld(t, dir, false)
	require.Equal(t, map[string]string{"1": "uno", "2": "two", "3": "three", "9": "nine"}, doors(t, dir))
}

// run runs a tool in a directory.
func run(t *testing.T, dir, tool string, args ...string) {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HGPLAIN=1", "HGUSER=test", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", tool, args, out)
}

// Without git, too, what a teammate deleted stays deleted when the files were
// brought up to date after a crash, and what was never committed stays. 7 is a
// copy of 2 in which nobody has written its own ID yet.
func TestWhatATeammateDeletedStaysDeletedAfterACrash(t *testing.T) {
	teammate := func(t *testing.T, dir *worlddir.Dir) {
		writeDoor(t, dir, "2", "zwei")
		writeDoor(t, dir, "4", "vier")
	}
	for tool, steps := range map[string]struct {
		commit, update func(t *testing.T, dir *worlddir.Dir)
	}{
		"svn": {
			commit: func(t *testing.T, dir *worlddir.Dir) {
				top := filepath.Dir(dir.Root)
				run(t, top, "svnadmin", "create", "repo")
				run(t, top, "svn", "checkout", "-q", "--force", "file://"+top+"/repo", dir.Root)
				run(t, dir.Root, "svn", "add", "-q", "entities")
				run(t, dir.Root, "svn", "commit", "-q", "-m", "all")
				run(t, top, "svn", "checkout", "-q", "file://"+top+"/repo", "theirs")
				theirs, err := worlddir.Init(filepath.Join(top, "theirs"), worlddir.InitOptions{})
				require.NoError(t, err)
				teammate(t, theirs)
				run(t, theirs.Root, "svn", "add", "-q", "entities/4.entity_text")
				run(t, theirs.Root, "svn", "delete", "-q", "entities/3.entity_text")
				run(t, theirs.Root, "svn", "commit", "-q", "-m", "theirs")
			},
			update: func(t *testing.T, dir *worlddir.Dir) { run(t, dir.Root, "svn", "update", "-q") },
		},
		"hg": {
			commit: func(t *testing.T, dir *worlddir.Dir) {
				run(t, dir.Root, "hg", "init")
				run(t, dir.Root, "hg", "add", "-q", "entities")
				run(t, dir.Root, "hg", "commit", "-m", "all")
				teammate(t, dir)
				run(t, dir.Root, "hg", "add", "-q", "entities/4.entity_text")
				run(t, dir.Root, "hg", "remove", "-q", "entities/3.entity_text")
				run(t, dir.Root, "hg", "commit", "-m", "theirs")
				run(t, dir.Root, "hg", "update", "-q", "0")
			},
			update: func(t *testing.T, dir *worlddir.Dir) { run(t, dir.Root, "hg", "update", "-q", "-C", "1") },
		},
	} {
		t.Run(tool, func(t *testing.T) {
			dir := plainWorld(t)
			steps.commit(t, dir)
			writeDoor(t, dir, "9", "nine")
			require.NoError(t, os.WriteFile(filepath.Join(dir.EntitiesPath(), "7.entity_text"), []byte(doorText("2", "two")), 0o644))
			f, leave := openPlainTree(t, dir)
			require.NoError(t, f.Prepare())
			rename(t, f.World, `"one"`, `"uno"`)
			leave()
			require.Empty(t, doors(t, dir))
			steps.update(t, dir)
			recoverWorld(t, dir, false)
			require.Equal(t, map[string]string{"1": "uno", "2": "zwei", "4": "vier", "7": "two", "9": "nine"}, doors(t, dir))
		})
	}
}

// A plain file that the world could not read when it was mounted is not
// dropped after a crash.
func TestAPlainFileThatWasNotReadComesBack(t *testing.T) {
	dir := plainWorld(t)
	huge := filepath.Join(dir.EntitiesPath(), "7.entity_text")
	require.NoError(t, os.WriteFile(huge, nil, 0o644))
	require.NoError(t, os.Truncate(huge, 1<<40))
	f, leave := openPlainTree(t, dir)
	require.NoError(t, f.Prepare())
	leave()
	writeDoor(t, dir, "2", "zwei")
	recoverWorld(t, dir, false)
	info, err := os.Stat(huge)
	require.NoError(t, err)
	require.Equal(t, int64(1<<40), info.Size())
	require.NoError(t, os.Remove(huge))
	require.Equal(t, map[string]string{"1": "one", "2": "zwei", "3": "three"}, doors(t, dir))
}

func TestSymlinksInThePlaceOfDirectoriesAreRefused(t *testing.T) {
	for _, name := range []string{"entities", "entities/.worldfs-scratch", "entities/5"} {
		t.Run(name, func(t *testing.T) {
			dir := plainWorld(t)
			if name == "entities/5" {
				dir = shardedWorld(t)
			}
			elsewhere := t.TempDir()
			path := filepath.Join(dir.Root, name)
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.Symlink(elsewhere, path))
			f, leave := openPlainTree(t, dir)
			require.ErrorContains(t, f.Prepare(), "symlinks are not followed")
			leave()
			_, err := Open(dir, nil)
			require.ErrorContains(t, err, "symlinks are not followed")
			left, err := os.ReadDir(elsewhere)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
