package mergestudy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

const testSeed, testCases = 1, 200

// WORLDFS_STUDY_CASES is how many cases are merged, WORLDFS_STUDY_SEED their seed.
func TestWorldfsDoesNoDamage(t *testing.T) {
	seed, cases := uint64(testSeed), testCases
	if n, err := strconv.Atoi(os.Getenv("WORLDFS_STUDY_CASES")); err == nil {
		cases = n
	}
	if n, err := strconv.ParseUint(os.Getenv("WORLDFS_STUDY_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("%d cases, seed %d", cases, seed)
	s, err := Run(Options{Seed: seed, Cases: cases, Ways: []int{BigFile, Files, Worldfs}})
	require.NoError(t, err, "git is required")
	require.Empty(t, s.Failures)
	worldfs := s.Ways[Worldfs]
	require.Zero(t, worldfs.Damaged)
	require.Zero(t, worldfs.False)
	require.Equal(t, cases, worldfs.Right+worldfs.True)
	require.Positive(t, s.Disagreeing)

	files := s.Ways[Files]
	require.Positive(t, files.False, "the study sees what git gets wrong")
	require.Positive(t, files.Damaged)
}

// realCases are those that the real git and svn merge with the tests: starting them takes
// the time.
const realCases = 50

func TestGitAndSVNDoNoDamage(t *testing.T) {
	built := filepath.Join(t.TempDir(), "worldfs")
	out, err := exec.Command("go", "build", "-o", built, "../../../cmd/worldfs").CombinedOutput()
	require.NoError(t, err, "%s", out)
	s, err := Run(Options{Seed: testSeed, Cases: realCases, Ways: []int{Git, SVN}, Built: built})
	require.NoError(t, err, "git and svn are required")
	require.Empty(t, s.Failures)
	for _, way := range s.Ran {
		require.Equal(t, realCases, s.Ways[way].Right+s.Ways[way].True, WayNames[way])
		require.Positive(t, s.Ways[way].True)
		require.Positive(t, s.Ways[way].Repaired)
	}
}

// What a side did must be there in its own world, which is whole, or the study
// would blame merges for what its generator does.
func TestSidesAreWhole(t *testing.T) {
	for i := range uint64(testCases) {
		c := newCase(testSeed, i)
		require.Equal(t, bigFile(c.base), bigFile(newCase(testSeed, i).base), "a case depends on its number alone")
		for n, s := range c.sides {
			require.NotEmpty(t, s.edits)
			require.Empty(t, slices.DeleteFunc(entity.Check(s.world), func(f entity.Finding) bool { return f.Code == entity.CodeFieldUnknown }))
			c.types = s.world.Types
			o := c.readBigFile(bigFile(s.world))
			require.False(t, o.unreadable || o.duplicates)
			for _, e := range s.edits {
				require.True(t, e.kept(o, n), "case %d side %d: %+v", i, n, e)
			}
		}
	}
}

// A side that moves an element and one that sets it both have their way: the study takes
// that for no damage, and sees where the move is gone.
func TestAMovedElementMayBeSet(t *testing.T) {
	of := entity.Shape{Kind: entity.KindF32}
	f := &entity.Field{Name: "points", Shape: entity.Shape{Kind: entity.KindArray, Of: &of}}
	list := func(numbers ...float32) entity.Value {
		items := make([]entity.Value, len(numbers))
		for i, n := range numbers {
			items[i] = entity.F32Of(n)
		}
		return entity.NewList(entity.KindArray, items)
	}
	e := entity.New(7, (&entity.Type{Name: "Node", Fields: []*entity.Field{f}}).Layout(0))
	e.Values[0] = list(1, 2, 3, 4)
	g := &generator{Rand: rand.New(rand.NewPCG(testSeed, 0))}
	for range 50 {
		s := g.move(e, f, e.Values[0].Items())
		c := e.Clone()
		s.apply(c)
		var from int
		_, err := fmt.Sscanf(s.edit.at, "@%d;", &from)
		require.NoError(t, err)
		set := func(v entity.Value) entity.Value {
			items := slices.Clone(v.Items())
			items[slices.IndexFunc(items, e.Values[0].Items()[from].Equal)] = entity.F32Of(9)
			return entity.NewList(entity.KindArray, items)
		}
		kept := func(v entity.Value) bool {
			o := e.Clone()
			o.Values[0] = v
			w := entity.NewWorld(entity.GUID{}, entity.NewTypes(e.Layout.Type))
			w.Put(o)
			return s.edit.kept(&outcome{world: w}, 0)
		}
		require.True(t, kept(c.Values[0]))
		require.True(t, kept(set(c.Values[0])))
		require.False(t, kept(e.Values[0]))
		require.False(t, kept(set(e.Values[0])))
	}
}
