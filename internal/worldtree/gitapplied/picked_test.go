package gitapplied_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/gitapplied"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// repo is a repository with a file of nine lines. All commits are made by one person at one
// time, and have one subject.
type repo struct {
	*testing.T
	dir   string
	lines [9]string
}

func newRepo(t *testing.T) *repo {
	r := &repo{T: t, dir: t.TempDir()}
	r.git("init", "-q", ".")
	for i := range r.lines {
		r.lines[i] = fmt.Sprint("line ", i)
	}
	r.commit()
	return r
}

func (r *repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@x", "GIT_AUTHOR_DATE=@981173106 +0000",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@x", "GIT_COMMITTER_DATE=@981173106 +0000", "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	require.NoError(r, err, "git %s\n%s", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}

// commit writes the file, and returns the commit that it makes of it.
func (r *repo) commit(args ...string) string {
	r.Helper()
	r.write()
	r.git("add", "-A")
	r.git(append([]string{"commit", "-q", "-m", "a change"}, args...)...)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) write() {
	require.NoError(r, os.WriteFile(filepath.Join(r.dir, "file"), []byte(strings.Join(r.lines[:], "\n")+"\n"), 0o666))
}

// change is commit of another line.
func (r *repo) change(line int, text string) string {
	r.Helper()
	r.lines[line] = text
	return r.commit()
}

// checkout goes to a commit, on a new branch.
func (r *repo) checkout(branch, commit string) {
	r.Helper()
	r.git("checkout", "-q", "-b", branch, commit)
	text, err := os.ReadFile(filepath.Join(r.dir, "file"))
	require.NoError(r, err)
	copy(r.lines[:], strings.Split(string(text), "\n"))
}

func (r *repo) find() *vcs.Operation {
	r.Helper()
	op, err := gitapplied.Find(r.dir, false)
	require.NoError(r, err)
	return op
}

// Which commits were picked is known, though all have the same author, time and subject.
func TestCommitsThatWerePickedAreFound(t *testing.T) {
	r := newRepo(t)
	base := r.git("rev-parse", "HEAD")
	first := r.change(0, "Ann's")
	second := r.change(4, "Ann's")
	third := r.change(8, "Ann's")
	r.checkout("bob", base)
	ours := r.change(2, "Bob's")
	require.Nil(t, r.find())

	r.git("cherry-pick", base+".."+third)
	require.Equal(t, &vcs.Operation{Kind: vcs.CherryPicking, Bases: []string{base}, Ours: ours, Theirs: third, Done: true}, r.find())

	r.git("reset", "-q", "--hard", ours)
	r.git("cherry-pick", second)
	require.Equal(t, &vcs.Operation{Kind: vcs.CherryPicking, Bases: []string{first}, Ours: ours, Theirs: second, Done: true}, r.find())

	r.git("reset", "-q", "--hard", ours)
	r.git("cherry-pick", first, third) // which do not follow each other
	require.Equal(t, &vcs.Operation{Kind: vcs.CherryPicking, Bases: []string{second}, Ours: r.git("rev-parse", "HEAD^"), Theirs: third, Done: true}, r.find())

	r.git("revert", "--no-edit", "HEAD")
	require.Equal(t, &vcs.Operation{Kind: vcs.Reverting, Bases: []string{r.git("rev-parse", "HEAD^")}, Ours: r.git("rev-parse", "HEAD^"), Theirs: r.git("rev-parse", "HEAD^^"), Done: true}, r.find())

	r.checkout("carol", ours)
	require.Nil(t, r.find())
}

// One whose change is another is none of which it was made.
func TestACommitThatChangesSomethingElseWasNotPicked(t *testing.T) {
	r := newRepo(t)
	base := r.git("rev-parse", "HEAD")
	r.change(0, "Ann's")
	r.checkout("bob", base)
	ours := r.change(2, "Bob's")
	r.git("cherry-pick", "HEAD", "--allow-empty", "--keep-redundant-commits") // which changes nothing
	picked := r.git("rev-parse", "HEAD")
	require.Equal(t, &vcs.Operation{Kind: vcs.CherryPicking, Bases: []string{base}, Ours: ours, Theirs: ours, Done: true}, r.find())
	r.git("reset", "-q", "--hard", ours)
	r.lines[6] = "of nobody"
	r.write()
	r.git("commit", "-q", "-a", "-m", "something else")
	r.git("update-ref", "--create-reflog", "-m", "cherry-pick: a change", "HEAD", r.git("commit-tree", "HEAD^{tree}", "-p", picked, "-m", "a change"))
	require.Nil(t, r.find())
}

// A stash is known by the files, while they are what git makes of it and HEAD, and from then on.
func TestAStashThatIsTakenInIsFound(t *testing.T) {
	r := newRepo(t)
	base := r.git("rev-parse", "HEAD")
	r.lines[0] = "Ann's"
	r.write()
	r.git("stash", "-q")
	stash := r.git("rev-parse", "stash")
	r.lines[0] = "line 0"
	ours := r.change(4, "Bob's")
	require.Nil(t, r.find())
	r.git("stash", "pop", "-q")
	want := &vcs.Operation{Kind: vcs.Unstashing, Bases: []string{base}, Ours: ours, Theirs: stash, Mine: true, Done: true}
	require.Equal(t, want, r.find())

	r.lines[0], r.lines[8] = "Ann's", "Ann's"
	r.write()
	require.Equal(t, want, r.find())
	r.change(7, "Ann's")
	require.Nil(t, r.find())

	r.lines[0] = "Ann's once more"
	r.write()
	r.git("stash", "-q")
	r.git("stash", "drop", "-q")
	require.Nil(t, r.find())
	r.write()
	require.Nil(t, r.find(), "HEAD is what it was made on")
}
