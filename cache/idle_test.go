package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// A world that waits for deletions to count is idle: each is published once, and
// nothing is tried before.
func TestAWorldThatWaitsIsIdle(t *testing.T) {
	b := newBench(t, 20)
	before := b.w.Counters().Checkpoints.Count
	require.NoError(t, b.w.Remove(2))
	require.Eventually(t, func() bool { return b.published(2) < 0 }, time.Minute, 10*time.Millisecond)
	b.requireCheckpoints(before + 1)

	// Some more, one after the other, with an edit that does not wait for them.
	before = b.w.Counters().Checkpoints.Count
	for id := entity.ID(3); id < 9; id++ {
		require.NoError(t, b.w.Remove(id))
		time.Sleep(20 * time.Millisecond)
	}
	b.write(10, lampText(10, 77))
	require.Eventually(t, func() bool { return b.published(10) == 77 }, time.Minute, 10*time.Millisecond)
	require.Equal(t, 3, b.published(3), "a deletion waits longer than an edit")
	require.Eventually(t, func() bool { return b.published(8) < 0 }, time.Minute, 10*time.Millisecond)
	require.Negative(t, b.published(3))
	b.requireCheckpoints(before + 2) // the edit's, and one for all deletions
}

// What comes back in time leaves nothing to publish, and nothing to wait for.
func TestADeletionThatIsTakenBackIsPublishedOnce(t *testing.T) {
	b := newBench(t, 20)
	before := b.w.Counters().Checkpoints.Count
	require.NoError(t, b.w.Remove(2))
	b.create(2, lampText(2, 50))
	require.Eventually(t, func() bool { return b.published(2) == 50 }, time.Minute, 10*time.Millisecond)
	b.requireCheckpoints(before + 1)
}

// requireCheckpoints waits until as many were made, and for a moment in which there
// would be more if the world was not idle. The pack is in its place before its
// checkpoint has ended.
func (b *bench) requireCheckpoints(want uint64) {
	b.Helper()
	made := func() uint64 { return b.w.Counters().Checkpoints.Count }
	require.Eventually(b, func() bool { return made() >= want }, time.Minute, 10*time.Millisecond)
	time.Sleep(500 * time.Millisecond)
	require.Equal(b, want, made())
}
