package cache_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// Files that all go and come back, however long it takes, were never deleted: neither
// the pack nor the history says so.
func TestWhatAllGoesAndComesBackWasNeverDeleted(t *testing.T) {
	for _, n := range []int{30, 250} {
		b := newBench(t, n)
		b.w.SetLossPatience(time.Minute)
		for id := entity.ID(1); int(id) <= n; id++ {
			require.NoError(t, b.w.Remove(id))
		}
		time.Sleep(4 * time.Second) // every deletion has been quiet for longer than one alone must
		require.Equal(t, 1, b.published(1))
		for id := entity.ID(1); int(id) <= n; id++ {
			b.create(id, lampText(id, uint64(id)+100))
			if int(id) == n-1 { // most are back: the last one is still waited for
				time.Sleep(time.Second)
				require.Equal(t, n, b.published(entity.ID(n)))
			}
		}
		require.Eventually(t, func() bool { return b.published(entity.ID(n)) == n+100 }, time.Minute, 10*time.Millisecond)
		for _, id := range []entity.ID{1, 2, entity.ID(n)} {
			want := []string{fmt.Sprintf("import none -> %d", id), fmt.Sprintf("edit %d -> %d", id, id+100)}
			require.Equal(t, want, b.past(id), "it was changed, once")
		}
	}
}

// A great loss that stays counts once the names have been quiet, and an intended
// deletion of much, but not most, in the time of any other.
func TestAGreatLossThatStaysCountsInTheEnd(t *testing.T) {
	b := newBench(t, 250)
	b.w.SetLossPatience(4 * time.Second)
	before := b.w.Counters().Checkpoints.Count
	for id := entity.ID(1); id <= 200; id++ {
		require.NoError(t, b.w.Remove(id))
	}
	b.write(250, lampText(250, 9))
	time.Sleep(3 * time.Second)
	require.Equal(t, 1, b.published(1))
	require.Equal(t, 250, b.published(250), "nothing of a world half way is published")
	require.Equal(t, before, b.w.Counters().Checkpoints.Count)
	require.Eventually(t, func() bool { return b.published(1) < 0 }, time.Minute, 10*time.Millisecond)
	require.Equal(t, 9, b.published(250))
	b.crash()
	require.Equal(t, 50, b.w.Len())
}

// A kill while a great loss is waited for loses nothing that was synced.
func TestAKillWhileAGreatLossIsWaitedFor(t *testing.T) {
	b := newBench(t, 250)
	for id := entity.ID(1); id <= 200; id++ {
		require.NoError(t, b.w.Remove(id))
	}
	require.NoError(t, b.w.SyncAll())
	b.crash()
	require.Equal(t, 50, b.w.Len())
	require.Equal(t, 1, b.published(1))
	b.create(1, lampText(1, 1))
	require.NoError(t, b.w.Sync())
	require.Equal(t, 1, b.published(1))
	require.Negative(t, b.published(2))
}
