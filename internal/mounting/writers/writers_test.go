package writers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// fake is a /proc of the test's.
type fake struct {
	t     *testing.T
	root  string
	world *world
	c     *Cache
	time  time.Time
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, root: t.TempDir(), world: newWorld(), time: time.Unix(1, 0)}
	f.c = New(f.world)
	f.c.proc.root = f.root
	f.c.now = func() time.Time { return f.time }
	return f
}

// process makes a process, or one in the place of another.
func (f *fake) process(id, parent, started int, name string, args ...string) {
	f.thread(id, id, parent, started, name, args...)
}

func (f *fake) thread(id, process, parent, started int, name string, args ...string) {
	dir := filepath.Join(f.root, fmt.Sprint(id))
	require.NoError(f.t, os.MkdirAll(dir, 0o700))
	for file, text := range map[string]string{
		"stat":    fmt.Sprintf("%d (%s) S %d%s %d 0 0\n", id, name, parent, strings.Repeat(" 0", 17), started),
		"status":  fmt.Sprintf("Name:\t%s\nTgid:\t%d\nNgid:\t0\n", name, process),
		"cmdline": strings.Join(args, "\x00") + "\x00",
	} {
		require.NoError(f.t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
}

func TestWhichProgramWrites(t *testing.T) {
	for _, x := range []struct {
		name, want string
		vcs        bool
		args       []string
	}{
		{"vim", "vim", false, []string{"vim", "a"}},
		{"a (b) c", "a (b) c", false, nil},
		{"git", "git checkout", true, []string{"git", "-C", "/w", "--no-pager", "-c", "a.b=c", "checkout", "main"}},
		{"git", "git", true, []string{"git"}},
		{"git-lfs", "git lfs", true, []string{"git-lfs", "pull"}},
		{"svn", "svn update", true, []string{"/usr/bin/svn", "--non-interactive", "update"}},
		{"hg", "hg update", true, []string{"/usr/bin/python3", "/usr/bin/hg", "--cwd", "/w", "update"}},
		{"an-editor-of-a-", "an-editor-of-a-game", false, []string{"/opt/an-editor-of-a-game"}},
		{"gitk", "gitk", false, []string{"gitk"}},
		{"worldfs", "worldfs", false, []string{"worldfs", "set", "--where", "true", "a=1"}},
		{"worldfs", "worldfs", true, []string{"worldfs", "resolve"}},
		{"worldfs", "worldfs", true, []string{"worldfs", "--role", "artist", "--directory", "w", "resolve", "-q"}},
		{"worldfs", "worldfs", true, []string{"worldfs", "-Cisland", "pull"}},
		{"worldfs", "worldfs", false, []string{"worldfs", "resolve", "-qi"}},
		{"worldfs", "worldfs", false, []string{"worldfs", "resolve", "--take=mine"}},
		{"worldfs", "worldfs", false, []string{"worldfs", "resolve", "--set", "7", "a=1"}},
	} {
		t.Run(strings.Join(x.args, " "), func(t *testing.T) {
			f := newFake(t)
			f.process(7, 1, 100, x.name, x.args...)
			w := f.c.of(7, 0)
			require.Equal(t, x.want, w.Program)
			require.Equal(t, x.vcs, w.Brought)
			require.NotZero(t, w.Session)
		})
	}
}

// What git's workers write, and what a git that git has started writes, is of the one that
// a person has started.
func TestWorkersOfVersionControl(t *testing.T) {
	f := newFake(t)
	f.process(1, 0, 1, "bash", "bash")
	f.process(10, 1, 10, "git", "git", "pull")
	f.process(11, 10, 11, "git", "git", "rebase", "origin/main")
	f.process(12, 11, 12, "sh", "sh", "-c", "x")
	f.process(13, 12, 13, "git", "git", "checkout--worker")
	f.thread(14, 13, 12, 14, "git")
	pull := f.c.of(10, 0)
	require.Equal(t, "git pull", pull.Program)
	for _, id := range []uint32{11, 13, 14} {
		require.Equal(t, pull, f.c.of(id, 0), "%d", id)
	}
	f.process(15, 11, 15, "vim", "vim", "entities/1.entity_text")
	require.Equal(t, "vim", f.c.of(15, 0).Program, "an editor is a person's, whoever has started it")
	require.False(t, f.c.of(15, 0).Brought)
}

// Requests of a thread that is known cost nothing, now and then one read, and one whose
// number was given again is another.
func TestWhatItCosts(t *testing.T) {
	f := newFake(t)
	f.process(7, 1, 100, "vim", "vim")
	first := f.c.of(7, 0)
	cost := f.c.proc.read.Load()
	for range 10_000 {
		require.Equal(t, first, f.c.of(7, 0))
	}
	require.Equal(t, cost, f.c.proc.read.Load())
	f.time = f.time.Add(maxTrust)
	require.Equal(t, first, f.c.of(7, 0))
	require.Equal(t, cost+1, f.c.proc.read.Load())

	f.process(7, 1, 200, "nano", "nano")
	f.time = f.time.Add(maxTrust)
	require.Equal(t, "nano", f.c.of(7, 0).Program)
	require.NotEqual(t, first.Session, f.c.of(7, 0).Session)

	require.NoError(t, os.RemoveAll(f.root))
	f.time = f.time.Add(maxTrust)
	require.Empty(t, f.c.of(7, 0).Program)
	for id := range uint32(3 * maxKnown) {
		f.c.remember(id, known{})
	}
	require.LessOrEqual(t, len(f.c.all), maxKnown)
}

// world is told who writes, and waits for names where the test says so.
type world struct {
	noted  map[entity.ID]*cache.Writer
	awaits atomic.Bool
}

func newWorld() *world { return &world{noted: make(map[entity.ID]*cache.Writer)} }

func (w *world) NoteWriter(id entity.ID, by *cache.Writer) { w.noted[id] = by }

func (w *world) AwaitsNames() bool { return w.awaits.Load() }

func TestThisProcess(t *testing.T) {
	w := newWorld()
	c := New(w)
	c.Note(0, uint32(os.Getpid()), 0)
	c.Note(6555, 0, 0)
	require.Empty(t, w.noted)
	c.Note(6555, uint32(os.Getpid()), 0)
	noted := w.noted
	require.Len(t, noted, 1)
	require.Equal(t, filepath.Base(os.Args[0]), noted[6555].Program)
	require.Equal(t, "root", noted[6555].Who)
	require.False(t, noted[6555].Brought)
}
