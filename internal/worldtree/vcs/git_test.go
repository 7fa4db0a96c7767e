package vcs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// gitWorld returns a repository with a directory of an odd name in it.
func gitWorld(t *testing.T) (top, dir string) {
	t.Helper()
	top = t.TempDir()
	dir = filepath.Join(top, "-o 'x'*", "world")
	run(t, top, "git", "init", "-q", "-b", "main", ".")
	write(t, dir, map[string]string{
		"entities/1.entity_text": "one", "entities/2.entity_text": strings.Repeat("two", 1000000),
		"entities/-3": "", "entities/a\"b\nc": "odd", "types/Door.toml": "door", "world.toml": "id",
		"entitiesx/1": "not asked for",
	})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "entities/5.entity_text")))
	commit(t, top)
	return top, dir
}

func commit(t *testing.T, top string) {
	t.Helper()
	run(t, top, "git", "add", "-A")
	run(t, top, "git", "commit", "-q", "-m", "x")
}

var all = []string{"world.toml", "types", "entities"}

func TestGitReadsARevisionWithoutCheckout(t *testing.T) {
	top, dir := gitWorld(t)
	want := map[string]string{
		"world.toml": "id", "types/Door.toml": "door", "entities/1.entity_text": "one",
		"entities/2.entity_text": strings.Repeat("two", 1000000), "entities/-3": "", "entities/a\"b\nc": "odd",
		"entities/5.entity_text": "(symlink)",
	}
	write(t, dir, map[string]string{"entities/1.entity_text": "uno", "types/New.toml": "new"})
	require.NoError(t, os.Remove(filepath.Join(dir, "entities/2.entity_text")))
	commit(t, top)
	write(t, dir, map[string]string{"entities/1.entity_text": "not committed"})
	before := run(t, top, "git", "status", "--porcelain")
	require.Equal(t, want, read(t, vcs.Git{Dir: dir}, vcs.Query{Rev: "HEAD~1", Names: all}))
	require.Equal(t, "uno", read(t, vcs.Git{Dir: dir}, vcs.Query{Rev: "main", Names: all})["entities/1.entity_text"])
	require.Equal(t, before, run(t, top, "git", "status", "--porcelain"))
}

func TestFilesComeInTheOrderOfTheNames(t *testing.T) {
	_, dir := gitWorld(t)
	var tops []string
	for f, err := range (vcs.Git{Dir: dir}).Files(vcs.Query{Rev: "HEAD", Names: all}) {
		require.NoError(t, err)
		name, _, _ := strings.Cut(f.Name, "/")
		if len(tops) == 0 || tops[len(tops)-1] != name {
			tops = append(tops, name)
		}
	}
	require.Equal(t, all, tops)
}

func TestGitReadsOnlyWhatIsWanted(t *testing.T) {
	_, dir := gitWorld(t)
	q := vcs.Query{Rev: "HEAD", Names: all, Limit: 100, Want: func(name string) bool { return strings.HasSuffix(name, "_text") }}
	sizes := map[string]int64{}
	for f, err := range (vcs.Git{Dir: dir}).Files(q) {
		require.NoError(t, err)
		sizes[f.Name] = f.Size
		require.LessOrEqual(t, len(f.Data), 100)
	}
	require.Equal(t, map[string]int64{"entities/1.entity_text": 3, "entities/2.entity_text": 3000000, "entities/5.entity_text": 0}, sizes)
	for range (vcs.Git{Dir: dir}).Files(vcs.Query{Rev: "HEAD", Names: all}) {
		break // nothing hangs
	}
}

func TestGitReadsFromLinkedTreesAndBareRepositories(t *testing.T) {
	top, dir := gitWorld(t)
	linked := filepath.Join(t.TempDir(), "linked")
	run(t, top, "git", "worktree", "add", "-q", "-b", "side", linked)
	rel, err := filepath.Rel(top, dir)
	require.NoError(t, err)
	q := vcs.Query{Rev: "HEAD", Names: []string{"types"}}
	want := map[string]string{"types/Door.toml": "door"}
	require.Equal(t, want, read(t, vcs.Git{Dir: filepath.Join(linked, rel)}, q))
	prefix, err := vcs.Git{Dir: filepath.Join(linked, rel)}.Root()
	require.NoError(t, err)
	require.Equal(t, rel, prefix)

	bare := filepath.Join(t.TempDir(), "bare.git")
	run(t, top, "git", "clone", "-q", "--bare", dir[:len(top)], bare)
	require.Equal(t, map[string]string{rel + "/types/Door.toml": "door"},
		read(t, vcs.Git{Dir: bare}, vcs.Query{Rev: "HEAD", Names: []string{rel + "/types"}}))
}

// Who is run by git has variables about the repository that git was run in.
func TestGitGoesByTheDirectory(t *testing.T) {
	top, dir := gitWorld(t)
	other := t.TempDir()
	run(t, other, "git", "init", "-q")
	q := vcs.Query{Rev: "HEAD", Names: []string{"types"}}
	want := map[string]string{"types/Door.toml": "door"}
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", "nowhere")
	t.Setenv("GIT_GLOB_PATHSPECS", "1")
	require.Equal(t, want, read(t, vcs.Git{Dir: dir}, q))

	require.NoError(t, os.Rename(filepath.Join(top, ".git"), filepath.Join(other, "elsewhere")))
	t.Setenv("GIT_DIR", filepath.Join(other, "elsewhere"))
	t.Setenv("GIT_WORK_TREE", top)
	require.Equal(t, want, read(t, vcs.Git{Dir: dir}, q))
}

func TestGitRefusesWhatIsNoRevision(t *testing.T) {
	top, dir := gitWorld(t)
	out := filepath.Join(top, "x")
	for rev, want := range map[string]error{
		"": vcs.ErrRevisionName, "--output=" + out: vcs.ErrRevisionName, "-h": vcs.ErrRevisionName,
		"HEAD\n--all": vcs.ErrRevisionName, "a\x00b": vcs.ErrRevisionName,
		";touch " + out: vcs.ErrNoRevision, "$(touch " + out + ")": vcs.ErrNoRevision, "nosuch": vcs.ErrNoRevision,
		"HEAD..main": vcs.ErrNoRevision, "HEAD:types": vcs.ErrNoRevision, ":0": vcs.ErrNoRevision,
		"main --output=" + out: vcs.ErrNoRevision, "^HEAD": vcs.ErrNoRevision,
	} {
		err := failure(t, vcs.Git{Dir: dir}, vcs.Query{Rev: rev, Names: all})
		require.ErrorIs(t, err, want, "%q", rev)
		require.ErrorContains(t, err, "git revision")
	}
	require.NoFileExists(t, out)
	require.ErrorIs(t, failure(t, vcs.Git{Dir: t.TempDir()}, vcs.Query{Rev: "HEAD", Names: all}), vcs.ErrNoRepository)
}

func TestGitSaysWhichContentsAreMissing(t *testing.T) {
	top, dir := gitWorld(t)
	oid := run(t, dir, "git", "rev-parse", "HEAD:./types/Door.toml")
	require.NoError(t, os.Remove(filepath.Join(top, ".git/objects", oid[:2], oid[2:])))
	err := failure(t, vcs.Git{Dir: dir}, vcs.Query{Rev: "HEAD", Names: all})
	require.ErrorContains(t, err, "types/Door.toml")
	require.ErrorContains(t, err, "git fsck")
}

func TestAToolThatIsMissingIsSaid(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	require.ErrorIs(t, failure(t, vcs.Git{Dir: dir}, vcs.Query{Rev: "HEAD"}), vcs.ErrNoTool)
	require.ErrorIs(t, failure(t, vcs.SVN{Dir: dir}, vcs.Query{Rev: "BASE"}), vcs.ErrNoTool)
}

func TestWhatIsPublished(t *testing.T) {
	top, dir := gitWorld(t)
	git := vcs.Git{Dir: dir}
	head := func() string { return strings.TrimSpace(run(t, top, "git", "rev-parse", "HEAD")) }
	before := head()
	require.False(t, git.IsPublished(before))
	origin := filepath.Join(t.TempDir(), "origin.git")
	run(t, top, "git", "clone", "-q", "--bare", ".", origin)
	run(t, top, "git", "remote", "add", "origin", origin)
	run(t, top, "git", "fetch", "-q", "origin")
	require.True(t, git.IsPublished(before))
	write(t, dir, map[string]string{"world.toml": "other"})
	commit(t, top)
	require.False(t, git.IsPublished(head()))
	require.False(t, git.IsPublished("no commit"))
}
