package pull_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/worldtree/pull"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// much is a history of which a pull has all to do: commits are made anew, edits, staged
// files and files besides the world are merged, and a conflict is left.
var much = history{
	theirs:  files{name(1): lamp(1, 2, "a"), name(2): lamp(2, 2, "a"), "notes": "more\n", "theirs": "b\n"},
	own:     files{name(1): lamp(1, 1, "b"), "own": "c\n"},
	staged:  files{name(3): lamp(3, 1, "c")},
	working: files{name(2): lamp(2, 3, "d"), "w/readme": "e\n"},
}

var errStop = errors.New("stop")

// stopping returns options with which a pull stops when it keeps something for the nth
// time.
func stopping(n int) pull.Options {
	return pull.Options{Keep: func(dir *worlddir.Dir, name string, data []byte) error {
		if n--; n == 0 {
			return errStop
		}
		return dir.Keep(name, data)
	}}
}

// stopsRefs has git refuse to change refs for the nth time from now on, once.
func (r repository) stopsRefs(n int) {
	r.write(files{".git/hooks/reference-transaction": fmt.Sprintf("#!/bin/sh\n"+
		"[ $1 = prepared ] || exit 0\necho >> %[1]q/.git/count\n[ $(wc -l < %[1]q/.git/count) != %[2]d ]\n", r.top, n)})
	require.NoError(r, os.Chmod(filepath.Join(r.top, ".git/hooks/reference-transaction"), 0o755))
}

// copied returns a copy of a repository.
func (r repository) copied() repository {
	c := repository{T: r.T, top: filepath.Join(r.TempDir(), "r")}
	c.root = filepath.Join(c.top, "w")
	require.NoError(r, os.CopyFS(c.top, os.DirFS(r.top)))
	return c
}

// Wherever a pull stops, Finish or the next pull comes to what it would have come to.
func TestAPullThatStoppedIsFinished(t *testing.T) {
	t.Setenv("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z")
	t.Setenv("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z")
	before := newRepository(t, much)
	whole := before.copied()
	_, err := whole.look(pull.Options{}).Take()
	require.NoError(t, err)
	want, head := whole.state(), whole.git("rev-parse", "HEAD")
	require.Equal(t, "UU "+name(2)+"\nA  "+name(3)+"\n?? w/readme", whole.git("status", "--porcelain"))
	for _, stop := range []struct{ keeps, refs int }{{keeps: 1}, {keeps: 2}, {refs: 1}, {refs: 2}} {
		r := before.copied()
		if stop.refs > 0 {
			r.stopsRefs(stop.refs)
		}
		_, err := r.look(stopping(stop.keeps)).Take()
		require.Error(t, err, "%v", stop)
		taken, err := pull.Finish(r.root, pull.Options{})
		require.NoError(t, err)
		if taken == nil && r.git("rev-parse", "HEAD") != head {
			_, err = r.look(pull.Options{}).Take()
			require.NoError(t, err)
		}
		require.Equal(t, want, r.state(), "%v", stop)
		taken, err = pull.Finish(r.root, pull.Options{})
		require.NoError(t, err)
		require.Nil(t, taken, "it has ended")
	}
}

func TestWhatFinishLeaves(t *testing.T) {
	stopped := newRepository(t, much)
	_, err := stopped.look(stopping(2)).Take()
	require.ErrorIs(t, err, errStop)
	for what, x := range map[string]struct {
		do   func(repository)
		says string // "": it is left to another process, or to git
		note string
	}{
		"git has moved on": {func(r repository) { r.git("reset", "-q", "--hard", "refs/heads/theirs") }, "", "git has moved on since"},
		"a merge":          {func(r repository) { r.write(files{".git/MERGE_HEAD": r.git("rev-parse", "refs/heads/theirs") + "\n"}) }, "", ""},
		"another's state":  {func(r repository) { require.NoError(r, os.Chmod(filepath.Join(r.root, ".worldfs"), 0o755)) }, "local state", ""},
		"a damaged record": {func(r repository) { r.write(files{"w/.worldfs/pull.json": "{"}) }, "pull.json is damaged", ""},
		"a later build's":  {func(r repository) { r.write(files{"w/.worldfs/pull.json": `{"version":9}`}) }, "a later build", ""},
		"at work still":    {func(r repository) { r.lock() }, "", ""},
	} {
		t.Run(what, func(t *testing.T) {
			r := stopped.copied()
			r.T = t
			require.NoError(t, os.Chmod(filepath.Join(r.root, ".worldfs"), 0o700))
			x.do(r)
			state, note := r.state(), ""
			taken, err := pull.Finish(r.root, pull.Options{Note: func(text string) { note += text }})
			require.Nil(t, taken)
			if x.says != "" {
				require.ErrorContains(t, err, x.says)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, state, r.state())
			require.Contains(t, note, x.note)
			require.Equal(t, x.note == "", note == "")
		})
	}
}

// lock locks the repository as another pull does, until the end of the test.
func (r repository) lock() {
	f, err := os.OpenFile(filepath.Join(r.top, ".git/worldfs-pull.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(r, err)
	require.NoError(r, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	r.Cleanup(func() { f.Close() })
}

// What happened since it was looked at is not run over.
func TestATakeThatComesTooLate(t *testing.T) {
	before := newRepository(t, much)
	for what, x := range map[string]struct {
		do   func(repository)
		says string
	}{
		"another pull": {repository.lock, "another worldfs pull is at work in this clone"},
		"a commit":     {func(r repository) { r.git("commit", "-q", "-m", "c", "-o", name(3)) }, "something was committed here, or pulled"},
		"a symlink there": {func(r repository) {
			require.NoError(r, os.Symlink("../notes", filepath.Join(r.top, ".git/worldfs-pull.lock")))
		}, "worldfs-pull.lock"},
		"a file of theirs": {func(r repository) { r.write(files{"theirs": "mine\n"}) }, "theirs"},
	} {
		t.Run(what, func(t *testing.T) {
			r := before.copied()
			r.T = t
			in := r.look(pull.Options{})
			x.do(r)
			state := r.state()
			_, err := in.Take()
			require.ErrorContains(t, err, x.says)
			require.Equal(t, state, r.state())
			require.NoFileExists(t, filepath.Join(r.root, ".worldfs/pull.json"))
		})
	}
}
