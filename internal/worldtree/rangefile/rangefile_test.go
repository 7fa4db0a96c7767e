package rangefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func world(t *testing.T) *worlddir.Dir {
	dir, err := worlddir.Init(t.TempDir(), worlddir.InitOptions{})
	require.NoError(t, err)
	return dir
}

func write(t *testing.T, dir *worlddir.Dir, text string) {
	require.NoError(t, os.WriteFile(dir.RangesPath(), []byte(text), 0o644))
}

func TestTheLastGoodFileStaysInForce(t *testing.T) {
	dir := world(t)
	write(t, dir, "1 9 A\n5 12 B\n")
	good, err := rangefile.Read(dir)
	require.NoError(t, err)
	require.Len(t, good.Ranges, 2, "an overlap does not make the file unreadable")
	require.Nil(t, good.Wrong)

	for _, text := range []string{"<<<<<<< ours\n1 9 A\n", "1 9", ""} {
		write(t, dir, text)
		f, err := rangefile.Read(dir)
		require.NoError(t, err)
		require.Equal(t, text, string(f.Data))
		if text == "" {
			require.Nil(t, f.Wrong)
			require.Empty(t, f.Ranges, "an empty file takes all ranges back")
			continue
		}
		require.ErrorContains(t, f.Wrong, dir.RangesPath()+":1:")
		require.True(t, f.Kept)
		require.Equal(t, good.Ranges, f.Ranges)
	}

	require.NoError(t, os.Remove(dir.RangesPath()))
	f, err := rangefile.Read(dir)
	require.NoError(t, err)
	require.Empty(t, f.Ranges)
}

func TestAFileThatIsGoneLeavesTheLastGoodOneInForce(t *testing.T) {
	dir := world(t)
	require.NoError(t, os.Remove(dir.RangesPath()))
	f, err := rangefile.Read(dir)
	require.NoError(t, err)
	require.Nil(t, f.Wrong, "there never was a range")

	write(t, dir, "1 9 A\n")
	good, err := rangefile.Read(dir)
	require.NoError(t, err)
	require.NoError(t, os.Remove(dir.RangesPath()))
	f, err = rangefile.Read(dir)
	require.NoError(t, err)
	require.EqualError(t, f.Wrong, dir.RangesPath()+": the file is gone (cp .worldfs/id_ranges.good id_ranges brings it back)")
	require.True(t, f.Gone)
	require.True(t, f.Kept)
	require.Equal(t, good.Ranges, f.Ranges)

	write(t, dir, "")
	_, err = rangefile.Read(dir)
	require.NoError(t, err)
	require.NoError(t, os.Remove(dir.RangesPath()))
	f, err = rangefile.Read(dir)
	require.NoError(t, err)
	require.Nil(t, f.Wrong, "the ranges had been taken back")
}

func TestAWorldWithoutLocalStateGetsNone(t *testing.T) {
	dir := world(t)
	require.NoError(t, os.RemoveAll(dir.StatePath()))
	write(t, dir, "1 9 A\n")
	_, err := rangefile.Read(dir)
	require.NoError(t, err)
	require.NoDirExists(t, dir.StatePath())
	write(t, dir, "1 9\n")
	f, err := rangefile.Read(dir)
	require.NoError(t, err)
	require.NotNil(t, f.Wrong)
	require.False(t, f.Kept)
	require.Empty(t, f.Ranges)
}

func TestStateThatIsNotOursIsNotBelieved(t *testing.T) {
	dir := world(t)
	write(t, dir, "1 9 A\n")
	_, err := rangefile.Read(dir)
	require.NoError(t, err)
	write(t, dir, "1 9\n")
	require.NoError(t, os.Chmod(dir.StatePath(), 0o755))
	f, err := rangefile.Read(dir)
	require.NoError(t, err)
	require.False(t, f.Kept)
}

func TestWriteKeepsTheMode(t *testing.T) {
	dir := world(t)
	require.NoError(t, os.Chmod(dir.RangesPath(), 0o664))
	require.NoError(t, rangefile.Write(dir, []byte("1 9 A\n")))
	info, err := os.Stat(dir.RangesPath())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o664), info.Mode().Perm())

	require.NoError(t, os.Chmod(dir.RangesPath(), 0o444))
	require.ErrorContains(t, rangefile.Write(dir, nil), "svn lock id_ranges")

	require.NoError(t, os.Remove(dir.RangesPath()))
	require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "x"), dir.RangesPath()))
	require.ErrorContains(t, rangefile.Write(dir, nil), "no ordinary file")
}
