package idalloc_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/machine"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// home gives the test a home of its own, and a machine without cards.
func home(t *testing.T) machine.Machine {
	dir := t.TempDir()
	for name, value := range map[string]string{
		"HOME": dir, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", worlddir.RoleVariable: "", "USER": "ann",
		"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.org",
	} {
		t.Setenv(name, value)
	}
	return machine.Machine{Sys: filepath.Join(dir, "none")}
}

// newWorld makes a world with entities of some IDs, and an id_ranges.
func newWorld(t *testing.T, ranges string, ids ...entity.ID) *idalloc.World {
	m := home(t)
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir.RangesPath(), []byte(ranges), 0o644))
	w := idalloc.New(dir, having(ids...), func(string) {})
	w.Machine = m
	return w
}

func having(ids ...entity.ID) *entity.World {
	var w entity.World
	for _, id := range ids {
		w.Put(&entity.Entity{ID: id})
	}
	return &w
}

func next(t *testing.T, w *idalloc.World, n int) []entity.ID {
	t.Helper()
	ids, err := w.Next(context.Background(), n)
	require.NoError(t, err)
	require.Len(t, ids, n)
	return ids
}

func text(t *testing.T, w *idalloc.World) string {
	data, err := os.ReadFile(w.Dir.RangesPath())
	require.NoError(t, err)
	return string(data)
}

func as(w *idalloc.World, role string) *idalloc.World {
	other, dir := *w, *w.Dir
	dir.Settings.Role = role
	other.Dir = &dir
	return &other
}

func TestIDsComeFromTheOwnRanges(t *testing.T) {
	ranges := "10 12 Baker\n20 24 Ann disposable\n30 34 Ann\n40 41 Ann\n"
	w := newWorld(t, ranges, 31, 40)
	require.Equal(t, []entity.ID{30, 32}, next(t, as(w, "Ann"), 2))
	require.Equal(t, []entity.ID{33, 20, 21}, next(t, as(w, "Ann"), 3), "disposable ranges come last")
	require.Equal(t, []entity.ID{10}, next(t, as(w, "Baker"), 1))
	require.Equal(t, ranges, text(t, w))

	require.NoError(t, os.WriteFile(filepath.Join(w.Dir.EntitiesPath(), "22.entity_text"), []byte("not an entity"), 0o644))
	require.Equal(t, []entity.ID{23}, next(t, as(w, "Ann"), 1), "what has a file is in use")
}

func TestTheSameLineTwiceGivesNoIDTwice(t *testing.T) {
	w := as(newWorld(t, "30 34 Ann\n30 34 Ann\n"), "Ann")
	require.Equal(t, []entity.ID{30, 31, 32, 33}, next(t, w, 4))
}

func TestAnIDInAnOverlapIsNotHandedOut(t *testing.T) {
	w := as(newWorld(t, "30 34 Ann\n31 33 Baker\n"), "Ann")
	require.Equal(t, []entity.ID{30, 33}, next(t, w, 2))
}

// A machine that has no range takes one; where that is full, a further one.
func TestAFullRangeIsFollowedByAFurtherOne(t *testing.T) {
	w := newWorld(t, "# ours\n58000 70000 Clusters disposable #Clusters\n", 70500)
	var notes []string
	w.Note = func(text string) { notes = append(notes, text) }
	require.Equal(t, []entity.ID{71000, 71001}, next(t, w, 2))
	require.Regexp(t, `^# ours\n58000 70000 Clusters disposable #Clusters\n    71000     74000 key-[0-9a-f]{16} #ann_`, text(t, w))
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "commit id_ranges at once")

	ids := next(t, w, 3000)
	require.Equal(t, entity.ID(71002), ids[0])
	require.Equal(t, entity.ID(74001), ids[2999])
	require.Equal(t, 4, strings.Count(text(t, w), "\n"))
	require.Equal(t, entity.ID(74002), next(t, w, 1)[0])

	// Many at once are given one range that has room for them.
	ids = next(t, w, 12_345)
	require.Equal(t, entity.ID(74003), ids[0])
	require.Equal(t, 5, strings.Count(text(t, w), "\n"))
}

// What was handed out is so for all clones of the world on the machine, whether an entity
// was made of it or not, and the range that one clone has taken is taken for all.
func TestClonesOfOneMachineShareTheirRange(t *testing.T) {
	w := newWorld(t, "")
	first := next(t, w, 3)
	clone := t.TempDir()
	require.NoError(t, os.CopyFS(clone, os.DirFS(w.Dir.Root)))
	require.NoError(t, os.Chmod(filepath.Join(clone, worlddir.StateName), 0o700))
	dir, err := worlddir.Open(clone)
	require.NoError(t, err)
	other := *w
	other.Dir = dir
	require.Equal(t, first[2]+1, next(t, &other, 1)[0])
	require.Equal(t, first[2]+2, next(t, w, 1)[0])

	require.NoError(t, os.WriteFile(dir.RangesPath(), nil, 0o644)) // a clone from before
	require.Equal(t, first[2]+3, next(t, &other, 1)[0])
	require.Equal(t, text(t, w), text(t, &other))
}

func TestManyAtOnceGetDifferentIDs(t *testing.T) {
	w := newWorld(t, "1000 1100 Ann\n")
	var mu sync.Mutex
	seen := map[entity.ID]int{}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 5 {
				ids, err := as(w, "Ann").Next(context.Background(), 40)
				mu.Lock()
				for _, id := range ids {
					seen[id]++
				}
				if err != nil {
					seen[0] += 2
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	require.Len(t, seen, 8*5*40)
	for id, n := range seen {
		require.Equal(t, 1, n, "ID %d", id)
	}
}

// What git once had is not used again, on whatever branch that was.
func TestWhatGitOnceHadIsNotUsedAgain(t *testing.T) {
	w := as(newWorld(t, "30 40 Ann\n50 60 Other\n"), "Ann")
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", w.Dir.Root, "-c", "init.defaultBranch=main"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	entityFile := func(id entity.ID) string { return filepath.Join(w.Dir.EntitiesPath(), id.String()+".entity_text") }
	create := func(ids ...entity.ID) {
		for _, id := range ids {
			require.NoError(t, os.WriteFile(entityFile(id), []byte("x"), 0o644))
		}
		git("add", "-A")
		git("commit", "-q", "-m", "created")
	}
	remove := func(ids ...entity.ID) {
		for _, id := range ids {
			require.NoError(t, os.Remove(entityFile(id)))
		}
		git("commit", "-q", "-a", "-m", "deleted")
	}
	git("init", "-q")
	create(30, 31, 50)
	remove(30, 31)
	require.Equal(t, []entity.ID{32}, next(t, w, 1))
	git("checkout", "-q", "-b", "side")
	create(33)
	remove(33)
	git("checkout", "-q", "main")
	require.Equal(t, []entity.ID{34}, next(t, w, 1))

	// A range that comes later is looked up from the beginning.
	require.NoError(t, os.WriteFile(w.Dir.RangesPath(), []byte("50 60 Ann\n"), 0o644))
	remove(50)
	require.Equal(t, []entity.ID{51}, next(t, w, 1))

	// What was read of a clone that was made anew in its place, it does not have.
	require.NoError(t, os.RemoveAll(filepath.Join(w.Dir.Root, ".git")))
	git("init", "-q")
	create(52)
	remove(52)
	require.Equal(t, []entity.ID{53}, next(t, w, 1))
}

func TestWhatIsInTheWayIsSaid(t *testing.T) {
	w := as(newWorld(t, "30 40 Ann\n"), "Ann")
	_, err := w.Next(context.Background(), 0)
	require.ErrorContains(t, err, "0 IDs cannot be had at once")
	require.Equal(t, []entity.ID{30}, next(t, w, 1))

	// The last good ranges stay in force, but none is added to a file that cannot be read.
	require.NoError(t, os.WriteFile(w.Dir.RangesPath(), []byte("<<<<<<< ours\n30 40 Ann\n"), 0o644))
	require.Equal(t, []entity.ID{31}, next(t, w, 1))
	_, err = w.Next(context.Background(), 100)
	require.ErrorContains(t, err, "no range can be taken")
	require.ErrorContains(t, err, "id_ranges:1:")
	_, err = as(w, "Two words").Claim(context.Background())
	require.Error(t, err)

	t.Setenv("HOME", "")
	_, err = w.Next(context.Background(), 1)
	require.ErrorContains(t, err, "XDG_STATE_HOME")
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	require.NoError(t, os.WriteFile(w.Dir.RangesPath(), []byte("30 40 Ann\n"), 0o644))
	require.Equal(t, []entity.ID{30}, next(t, w, 1), "a record of its own")
	records, err := filepath.Glob(filepath.Join(state, "worldfs", "ids", "*.json"))
	require.NoError(t, err)
	require.Len(t, records, 1)
	good, err := os.ReadFile(records[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(records[0], good[:len(good)/2], 0o600))
	_, err = w.Next(context.Background(), 1)
	require.ErrorContains(t, err, "is damaged: move it away")
	require.NoError(t, os.WriteFile(records[0], []byte(strings.Replace(string(good), `"version":1`, `"version":9`, 1)), 0o600))
	_, err = w.Next(context.Background(), 1)
	require.ErrorContains(t, err, "later worldfs")
	require.NoError(t, os.WriteFile(records[0], good, 0o600))
	require.Equal(t, []entity.ID{31}, next(t, w, 1))
}
