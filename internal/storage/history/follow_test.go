package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// followed returns the IDs of what came.
func followed(t *testing.T, f *history.Follower, most int) (ids []entity.ID) {
	t.Helper()
	for {
		entries, gap, err := f.Next(most)
		require.NoError(t, err)
		require.False(t, gap)
		if len(entries) == 0 {
			return ids
		}
		for _, e := range entries {
			ids = append(ids, e.ID)
			require.Equal(t, fmt.Sprint("text of ", e.ID), string(e.Is))
		}
	}
}

// A Follower is told once of each entry, in parts of whatever size, over the ends of segments,
// also where the log's owner ends and another opens it.
func TestAFollowerReadsBesideTheOwner(t *testing.T) {
	for _, most := range []int{0, 10, 1 << 20} {
		dir := t.TempDir()
		f := history.Follow(dir, 0)
		require.Empty(t, followed(t, f, most))
		var want, got []entity.ID
		for session := range 6 {
			log := history.Open(dir, history.Limits{})
			for i := range 40 {
				id := entity.ID(100*session + i + 1)
				_, err := log.Append([]history.Entry{{ID: id, Kind: history.Changed, Is: fmt.Append(nil, "text of ", id)}})
				require.NoError(t, err)
				want = append(want, id)
				if i%7 == session {
					got = append(got, followed(t, f, most)...)
				}
			}
			require.NoError(t, log.Close())
		}
		got = append(got, followed(t, f, most)...)
		require.Equal(t, want, got)
		last, err := history.Latest(dir)
		require.NoError(t, err)
		require.Equal(t, last, f.Position())
		require.Empty(t, followed(t, history.Follow(dir, last), most))
	}
}

// What the log does not have any more is told as a gap, and so is a position of another log.
func TestAFollowerIsToldOfAGap(t *testing.T) {
	dir := t.TempDir()
	log := history.Open(dir, history.Limits{})
	last, err := log.Append([]history.Entry{{ID: 1, Kind: history.Changed}, {ID: 2, Kind: history.Changed}})
	require.NoError(t, err)
	require.NoError(t, log.Close())

	_, gap, err := history.Follow(dir, last+1).Next(1)
	require.NoError(t, err)
	require.True(t, gap, "no entry has this position yet")

	f := history.Follow(dir, last)
	_, gap, err = f.Next(1)
	require.NoError(t, err)
	require.False(t, gap)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, name := range files {
		require.NoError(t, os.Remove(name))
	}
	_, gap, err = f.Next(1)
	require.NoError(t, err)
	require.True(t, gap, "the log was removed")
	last, err = history.Latest(dir)
	require.NoError(t, err)
	require.Zero(t, last)
}
