package rangepublish_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangepublish"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// team is a repository and clones of it, in which the world lies in a directory.
type team struct {
	*testing.T
	dir string
	svn bool
}

const first = "# whose IDs are whose\n58000 70000 Clusters disposable #Clusters\n"

func newTeam(t *testing.T, svn bool) *team {
	dir := t.TempDir()
	for name, value := range map[string]string{
		"HOME": dir, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", worlddir.RoleVariable: "", "LC_ALL": "C.UTF-8",
		"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.org",
		"GIT_CONFIG_NOSYSTEM": "1",
	} {
		t.Setenv(name, value)
	}
	team := &team{t, dir, svn}
	world, err := worlddir.Init(filepath.Join(dir, "seed", "levels", "w"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(world.RangesPath(), []byte(first), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "seed", "readme"), []byte("x\n"), 0o644))
	if svn {
		require.NoError(t, os.RemoveAll(world.StatePath()))
		team.run(".", "svnadmin", "create", "repo")
		team.run(".", "svn", "import", "-q", "-m", "all", "seed", "file://"+dir+"/repo")
		return team
	}
	team.run("seed", "git", "init", "-q", "-b", "main")
	team.run("seed", "git", "add", "-A")
	team.run("seed", "git", "commit", "-q", "-m", "all")
	team.run(".", "git", "clone", "-q", "--bare", "seed", "hub.git")
	return team
}

func (t *team) run(in, tool string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = filepath.Join(t.dir, in)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", tool, args, out)
	return string(out)
}

// clone returns the world of a person's clone, in which the person has a role.
func (t *team) clone(person string) *idalloc.World {
	t.Helper()
	if t.svn {
		t.run(".", "svn", "checkout", "-q", "file://"+t.dir+"/repo", person)
	} else {
		t.run(".", "git", "clone", "-q", "hub.git", person)
	}
	dir, err := worlddir.Open(filepath.Join(t.dir, person, "levels", "w"))
	require.NoError(t, err)
	dir.Settings.Role = person
	return idalloc.New(dir, &entity.World{}, func(string) {})
}

// published returns id_ranges as a new clone has it.
func (t *team) published() string {
	t.Helper()
	if t.svn {
		return t.run(".", "svn", "cat", "file://"+t.dir+"/repo/levels/w/id_ranges")
	}
	return t.run("hub.git", "git", "show", "main:levels/w/id_ranges")
}

func both(t *testing.T, test func(*team)) {
	for _, svn := range []bool{false, true} {
		name := map[bool]string{false: "git", true: "svn"}[svn]
		t.Run(name, func(t *testing.T) { test(newTeam(t, svn)) })
	}
}

func publish(t *team, w *idalloc.World) rangepublish.Result {
	t.Helper()
	r, err := rangepublish.Range(context.Background(), w)
	require.NoError(t, err)
	return r
}

// file returns what a clone's id_ranges says.
func file(t *team, w *idalloc.World) string {
	data, err := os.ReadFile(w.Dir.RangesPath())
	require.NoError(t, err)
	return string(data)
}

// Eight people who take two ranges each at the same time get sixteen.
func TestARaceOfEightGivesNoRangeTwice(t *testing.T) {
	both(t, func(t *team) {
		const people, each = 8, 2
		worlds := make([]*idalloc.World, people)
		for i := range worlds {
			worlds[i] = t.clone(fmt.Sprintf("Person%d", i))
		}
		failures := make([]error, people)
		var wait sync.WaitGroup
		for i, w := range worlds {
			wait.Go(func() {
				for range each {
					if _, err := rangepublish.Range(context.Background(), w); err != nil {
						failures[i] = err
					}
				}
			})
		}
		wait.Wait()
		for _, err := range failures {
			require.NoError(t, err)
		}
		text := t.published()
		require.True(t, strings.HasPrefix(text, first), text)
		ranges, err := idrange.Parse([]byte(text), "")
		require.NoError(t, err)
		require.Len(t, ranges, 1+people*each)
		require.Empty(t, idrange.Overlaps(ranges))
		for i, w := range worlds {
			own := idrange.ToTake(ranges, []string{fmt.Sprintf("Person%d", i)})
			require.Len(t, own, each)
			for _, r := range own {
				require.Contains(t, file(t, w), r.Text(), "everybody's own line is in the own clone")
			}
		}
	})
}

// Nothing else of a person's is published, and nothing is lost.
func TestNothingElseIsPublished(t *testing.T) {
	both(t, func(t *team) {
		ann := t.clone("Ann")
		at := func(name string) string { return filepath.Join(t.dir, "Ann", name) }
		require.NoError(t, os.WriteFile(at("readme"), []byte("mine\n"), 0o644))
		require.NoError(t, os.WriteFile(at("new"), []byte("mine\n"), 0o644))
		if t.svn {
			t.run("Ann", "svn", "add", "-q", "new")
		} else {
			t.run("Ann", "git", "add", "new")
		}
		r := publish(t, ann)
		require.Len(t, r.Ranges, 1)
		require.NotEmpty(t, r.Commit)
		require.Equal(t, file(t, ann), t.published())
		if t.svn {
			require.Equal(t, "A       new\nM       readme\n", t.run("Ann", "svn", "status", "-q"))
			require.NotContains(t, t.run(".", "svn", "ls", "file://"+t.dir+"/repo"), "new")
			return
		}
		require.Equal(t, "A  new\n M readme\n", strings.ReplaceAll(t.run("Ann", "git", "status", "--porcelain", "-uno"), " M readme\nA  new\n", "A  new\n M readme\n"))
		require.Equal(t, "levels/w/id_ranges\n", t.run("hub.git", "git", "show", "--format=", "--name-only", "main"))
		require.Equal(t, t.run("hub.git", "git", "rev-parse", "main"), t.run("Ann", "git", "rev-parse", "HEAD"), "the same commit")
		require.Contains(t, t.run("hub.git", "git", "log", "-1", "--format=%s", "main"), "id_ranges: 70000 to 73000 (Ann)")
	})
}

// What nobody else knows of yet is published, and no further range is taken.
func TestAForgottenRangeIsPublished(t *testing.T) {
	both(t, func(t *team) {
		ann := t.clone("Ann")
		ids, err := ann.Next(context.Background(), 1)
		require.NoError(t, err)
		require.Equal(t, []entity.ID{70000}, ids)
		r := publish(t, ann)
		require.EqualValues(t, 70000, r.Ranges[0].From)
		require.Equal(t, first+"    70000     73000 Ann #Ann\n", t.published())
		require.Equal(t, t.published(), file(t, ann))
		require.EqualValues(t, 73000, publish(t, ann).Ranges[0].From)
	})
}

// Where somebody was faster another range is taken in the place of the own one.
func TestWhoIsLateGetsAnotherRange(t *testing.T) {
	both(t, func(t *team) {
		ann, bob := t.clone("Ann"), t.clone("Bob")
		// Another machine: it knows nothing of Ann's.
		claim := func(w *idalloc.World) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			_, err := w.Claim(context.Background())
			require.NoError(t, err)
		}
		claim(ann)
		annState := os.Getenv("XDG_STATE_HOME")
		claim(bob)
		require.Contains(t, file(t, bob), "70000     73000 Bob")
		r := publish(t, bob)
		require.Empty(t, r.Replaced)

		t.Setenv("XDG_STATE_HOME", annState)
		r = publish(t, ann)
		require.Len(t, r.Replaced, 1)
		require.EqualValues(t, 73000, r.Ranges[0].From)
		require.Equal(t, first+"    70000     73000 Bob #Bob\n    73000     76000 Ann #Ann\n", t.published())
		require.NotContains(t, file(t, ann), "70000     73000 Ann")
		ids, err := ann.Next(context.Background(), 1)
		require.NoError(t, err)
		require.Equal(t, []entity.ID{73000}, ids)
	})
}

// A branch with commits of its own gets one more, and a merge of both finds nothing to settle.
func TestABranchWithItsOwnCommits(t *testing.T) {
	team := newTeam(t, false)
	ann, bob := team.clone("Ann"), team.clone("Bob")
	require.NoError(t, os.WriteFile(filepath.Join(team.dir, "Ann", "readme"), []byte("mine\n"), 0o644))
	team.run("Ann", "git", "commit", "-q", "-a", "-m", "own")
	publish(team, bob)
	publish(team, ann)
	require.NotContains(t, team.run("hub.git", "git", "show", "main:readme"), "mine")
	require.Equal(t, "id_ranges: 73000 to 76000 (Ann)\nown\nall\n", team.run("Ann", "git", "log", "--format=%s"))
	require.Empty(t, team.run("Ann", "git", "status", "--porcelain"))

	// In the middle of a merge the branch is let alone.
	require.NoError(t, os.WriteFile(filepath.Join(team.dir, "Ann", ".git", "MERGE_HEAD"), []byte(strings.Repeat("0", 40)+"\n"), 0o644))
	head := team.run("Ann", "git", "rev-parse", "HEAD")
	r := publish(team, ann)
	require.NotEmpty(t, r.Later)
	require.Equal(t, head, team.run("Ann", "git", "rev-parse", "HEAD"))
	require.Contains(t, team.published(), "Ann #Ann\n    76000     79000 Ann #Ann\n")
}

func TestWhatKeepsARangeFromBeingPublishedIsSaid(t *testing.T) {
	t.Run("git", func(t *testing.T) {
		team := newTeam(t, false)
		ann := team.clone("Ann")
		team.run("Ann", "git", "checkout", "-q", "-b", "own")
		_, err := rangepublish.Range(context.Background(), ann)
		require.ErrorContains(t, err, "git push -u origin own makes one")
		team.run("Ann", "git", "checkout", "-q", "--detach")
		_, err = rangepublish.Range(context.Background(), ann)
		require.ErrorContains(t, err, "check one out")

		team.run("Ann", "git", "checkout", "-q", "main")
		require.NoError(t, os.Rename(filepath.Join(team.dir, "hub.git"), filepath.Join(team.dir, "away")))
		before := file(team, ann)
		_, err = rangepublish.Range(context.Background(), ann)
		require.ErrorContains(t, err, "learn what ranges others have")
		require.Equal(t, before, file(team, ann))
		require.NoError(t, os.Rename(filepath.Join(team.dir, "away"), filepath.Join(team.dir, "hub.git")))

		// The repository refuses: nothing is claimed.
		hook := filepath.Join(team.dir, "hub.git", "hooks", "pre-receive")
		require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
		require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\necho no pushes today >&2; exit 1\n"), 0o755))
		_, err = rangepublish.Range(context.Background(), ann)
		require.ErrorContains(t, err, "no pushes today")
		require.NoError(t, os.Remove(hook))
		require.EqualValues(t, 70000, publish(team, ann).Ranges[0].From)
	})
	t.Run("svn", func(t *testing.T) {
		team := newTeam(t, true)
		ann, bob := team.clone("Ann"), team.clone("Bob")
		team.run("Bob/levels/w", "svn", "lock", "-q", "id_ranges")
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			_, err := rangepublish.Range(ctx, ann)
			ended <- err
		}()
		cancel()
		require.Error(t, <-ended, "Bob has the lock")
		require.Equal(t, first, team.published())

		// The lock that a killed call of Bob's left is gone on with.
		require.EqualValues(t, 70000, publish(team, bob).Ranges[0].From)
		require.EqualValues(t, 73000, publish(team, ann).Ranges[0].From)

		require.NoError(t, os.WriteFile(ann.Dir.RangesPath(), []byte("# edited\n"+file(team, ann)), 0o644))
		_, err := rangepublish.Range(context.Background(), ann)
		require.ErrorContains(t, err, "other changes that are not committed")
	})
	t.Run("neither", func(t *testing.T) {
		dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
		require.NoError(t, err)
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		_, err = rangepublish.Range(context.Background(), idalloc.New(dir, &entity.World{}, nil))
		require.ErrorIs(t, err, rangepublish.ErrNowhere)
	})
}

// needs-lock has svn keep the file read-only; the claim takes the lock anyway.
func TestAFileThatNeedsALock(t *testing.T) {
	team := newTeam(t, true)
	ann := team.clone("Ann")
	team.run("Ann/levels/w", "svn", "propset", "-q", "svn:needs-lock", "*", "id_ranges")
	team.run("Ann/levels/w", "svn", "commit", "-q", "-m", "needs lock", "id_ranges")
	require.EqualValues(t, 70000, publish(team, ann).Ranges[0].From)
	require.Empty(t, team.run("Ann", "svn", "status", "-q"))
	info, err := os.Stat(ann.Dir.RangesPath())
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o200)
}
