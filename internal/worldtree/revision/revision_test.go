package revision

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

func TestRangesAreCut(t *testing.T) {
	n := Namer{Dir: t.TempDir()}
	for name, want := range map[string][2]string{
		"main...side": {"main", "side"}, "git:main...side": {"main", "side"}, "main...": {"main", "HEAD"},
		"...side": {"HEAD", "side"}, "a..b": {"a", "b"}, "git:..b": {"HEAD", "b"},
	} {
		from, to, _, ok := n.cut(name)
		require.True(t, ok, name)
		require.Equal(t, want, [2]string{from, to}, name)
	}
	for _, path := range []string{"../old", "..", ".", "main", "/a/../b", "svn:3", "git:HEAD"} {
		_, _, _, ok := n.cut(path)
		require.False(t, ok, path)
	}
}

func TestWhatIsAFileStaysOne(t *testing.T) {
	n := Namer{Dir: t.TempDir()}
	for _, name := range []string{"old.pack", "old.jsonl", "old.jsonl.gz", "-", "git:HEAD", "svn:BASE", "svn:12"} {
		names, err := n.Pair(name, name)
		require.NoError(t, err)
		require.Equal(t, Names{name, name}, names)
	}
	_, err := n.Pair("nosuch")
	require.ErrorIs(t, err, worldform.ErrNoWorld)
}

func TestVersionsOfWorkingCopies(t *testing.T) {
	for said, want := range map[string]int{"4": 4, "3:7MS": 7, "12M": 12, "1:2P": 2} {
		last, err := parseVersion(said)
		require.NoError(t, err, said)
		require.Equal(t, want, last, said)
	}
	for _, said := range []string{"Unversioned directory", "Uncommitted local addition, copy or move", "exported"} {
		_, err := parseVersion(said)
		require.ErrorContains(t, err, "committed yet", said)
	}
}
