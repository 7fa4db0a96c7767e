package mergestudy

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

const testSeed, testCases = 1, 200

func TestWorldfsDoesNoDamage(t *testing.T) {
	s, err := Run(Options{Seed: testSeed, Cases: testCases, Ways: []int{BigFile, Files, Worldfs}})
	require.NoError(t, err, "git is required")
	require.Empty(t, s.Failures)
	worldfs := s.Ways[Worldfs]
	require.Zero(t, worldfs.Damaged)
	require.Zero(t, worldfs.False)
	require.Equal(t, testCases, worldfs.Right+worldfs.True)
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
