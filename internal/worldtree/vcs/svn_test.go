package vcs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// svnWorld returns a working copy whose directories have odd names.
func svnWorld(t *testing.T) (dir string) {
	t.Helper()
	top := t.TempDir()
	run(t, top, "svnadmin", "create", "repo")
	run(t, top, "svn", "checkout", "-q", "file://"+top+"/repo", "wc@2")
	dir = filepath.Join(top, "wc@2", "-o 'x' ü@3", "world")
	write(t, dir, map[string]string{
		"entities/1.entity_text": "one", "entities/2.entity_text": "two", "entities/3.entity_text": "three",
		"entities/4.entity_text": "four", "entities/5.entity_text": "five", "entities/6.entity_text": "six",
		"entities/-7 'ü'@1": "odd", "types/Door.toml": "door", "world.toml": "id", "entitiesx/1": "not asked for",
	})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "entities/8.entity_text")))
	run(t, dir, "svn", "add", "-q", filepath.Dir(dir)+"@")
	svnCommit(t, dir)
	return dir
}

func svnCommit(t *testing.T, dir string) {
	t.Helper()
	run(t, filepath.Dir(filepath.Dir(dir)), "svn", "commit", "-q", "-m", "x")
	run(t, filepath.Dir(filepath.Dir(dir)), "svn", "update", "-q")
}

func firstRevision() map[string]string {
	return map[string]string{
		"entities/1.entity_text": "one", "entities/2.entity_text": "two", "entities/3.entity_text": "three",
		"entities/4.entity_text": "four", "entities/5.entity_text": "five", "entities/6.entity_text": "six",
		"entities/-7 'ü'@1": "odd", "types/Door.toml": "door", "world.toml": "id",
	}
}

// edit does to a working copy all that a day brings, but commits nothing.
func edit(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, map[string]string{"entities/1.entity_text": "changed", "entities/9.entity_text": "new", "sub/x": "x"})
	e := filepath.Join(dir, "entities")
	run(t, e, "svn", "add", "-q", "9.entity_text")
	run(t, e, "svn", "delete", "-q", "2.entity_text")
	run(t, e, "svn", "delete", "-q", "--keep-local", "3.entity_text")
	run(t, e, "svn", "add", "-q", "3.entity_text")
	run(t, e, "svn", "delete", "-q", "4.entity_text")
	run(t, e, "svn", "copy", "-q", "5.entity_text", "4.entity_text")
	run(t, e, "svn", "move", "-q", "6.entity_text", "60.entity_text")
	require.NoError(t, os.Remove(filepath.Join(e, "5.entity_text")))
	run(t, dir, "svn", "copy", "-q", "types", "entities/copied")
}

func TestSVNReadsBase(t *testing.T) {
	dir := svnWorld(t)
	edit(t, dir)
	got := read(t, vcs.SVN{Dir: dir}, vcs.Query{Rev: "BASE", Names: append(all, "nosuch")})
	require.NotContains(t, got["entities/8.entity_text"], "root:")
	delete(got, "entities/8.entity_text")
	require.Equal(t, firstRevision(), got)
}

func TestSVNReadsARevision(t *testing.T) {
	dir := svnWorld(t)
	edit(t, dir)
	q := vcs.Query{Rev: "1", Names: append(all, "nosuch")}
	want := firstRevision()
	want["entities/8.entity_text"] = "(symlink)"
	require.Equal(t, want, read(t, vcs.SVN{Dir: dir}, q))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "entities/5.entity_text")))
	svnRestore(t, dir)
	svnCommit(t, dir)
	require.Equal(t, want, read(t, vcs.SVN{Dir: dir}, q))
	q.Rev = "HEAD"
	got := read(t, vcs.SVN{Dir: dir}, q)
	require.Equal(t, "changed", got["entities/1.entity_text"])
	require.Equal(t, "new", got["entities/9.entity_text"])
	require.NotContains(t, got, "entities/2.entity_text")
}

func svnRestore(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, "svn", "revert", "-q", "entities/5.entity_text")
}

// A revision is that of the world, by whatever name it had and whatever was in
// it then.
func TestSVNFollowsARenamedWorld(t *testing.T) {
	dir := svnWorld(t)
	run(t, dir, "svn", "delete", "-q", "types")
	svnCommit(t, dir)
	renamed := filepath.Join(filepath.Dir(dir), "renamed")
	run(t, filepath.Dir(dir), "svn", "move", "-q", "world", "renamed")
	svnCommit(t, dir)
	got := read(t, vcs.SVN{Dir: renamed}, vcs.Query{Rev: "r1", Names: []string{"types"}})
	require.Equal(t, map[string]string{"types/Door.toml": "door"}, got)
}

func TestSVNReadsBaseWhereItsStoreCannotBeRead(t *testing.T) {
	dir := svnWorld(t)
	root, err := vcs.SVN{Dir: dir}.Root()
	require.NoError(t, err)
	texts, err := filepath.Glob(filepath.Join(root, ".svn/pristine/*/*.svn-base"))
	require.NoError(t, err)
	require.NotEmpty(t, texts)
	for _, path := range texts {
		require.NoError(t, os.Chmod(path, 0o666))
		require.NoError(t, os.WriteFile(path, []byte("damaged"), 0o666))
	}
	err = failure(t, vcs.SVN{Dir: dir}, vcs.Query{Rev: "BASE", Names: all})
	require.ErrorContains(t, err, "world.toml")
	require.ErrorContains(t, err, "damaged")
	for _, path := range texts {
		require.NoError(t, os.Remove(path))
	}
	err = failure(t, vcs.SVN{Dir: dir}, vcs.Query{Rev: "BASE", Names: all})
	require.ErrorContains(t, err, "svn says:")
}

func TestSVNRefusesWhatIsNoRevision(t *testing.T) {
	dir := svnWorld(t)
	for rev, want := range map[string]error{
		"": vcs.ErrRevisionName, "--config-dir=/tmp": vcs.ErrRevisionName, "-x": vcs.ErrRevisionName,
		"1:2": vcs.ErrRevisionName, "PREV": vcs.ErrRevisionName, ";rm": vcs.ErrRevisionName, "base": vcs.ErrRevisionName,
		"{x}@": vcs.ErrRevisionName, "1\n2": vcs.ErrRevisionName, "99": vcs.ErrNoRevision, "0": vcs.ErrNoRevision,
	} {
		err := failure(t, vcs.SVN{Dir: dir}, vcs.Query{Rev: rev, Names: all})
		require.ErrorIs(t, err, want, "%q", rev)
	}
	for _, rev := range []string{"BASE", "1"} {
		require.ErrorIs(t, failure(t, vcs.SVN{Dir: t.TempDir()}, vcs.Query{Rev: rev, Names: all}), vcs.ErrNoRepository)
	}
}

func TestSVNLeavesNothingBehind(t *testing.T) {
	dir := svnWorld(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for range (vcs.SVN{Dir: dir}).Files(vcs.Query{Rev: "1", Names: all}) {
		break
	}
	for range (vcs.SVN{Dir: dir}).Files(vcs.Query{Rev: "BASE", Names: all}) {
		break
	}
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}
