package cache_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

// Eight programs that save at the same time cost one commit.
func TestSavesThatComeTogetherShareACommit(t *testing.T) {
	b := newBench(t, 8)
	b.w.Stop()
	require.NoError(t, b.w.SyncAll())
	release := b.w.HoldCommits()
	before := b.w.Counters().Commits.Count
	var written, synced sync.WaitGroup
	errs := make([]error, 8)
	for i := range 8 {
		written.Add(1)
		synced.Go(func() {
			id := entity.ID(i + 1)
			f, err := b.w.Lookup(id)
			if err == nil {
				_, err = f.WriteAt([]byte(lampText(id, 100)), 0)
			}
			written.Done()
			if err == nil {
				err = f.Sync()
			}
			errs[i] = err
		})
	}
	written.Wait()
	release()
	synced.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, before+1, b.w.Counters().Commits.Count)
	b.w.CloseState()
	b.open()
	for id := entity.ID(1); id <= 8; id++ {
		require.Equal(t, lampText(id, 100), b.text(id)[:len(lampText(id, 100))])
	}
}

// Whose edit is durable waits for nobody who has edited something since.
func TestANewcomerMakesNobodyWaitLonger(t *testing.T) {
	b := newBench(t, 3)
	b.w.Stop()
	b.write(1, lampText(1, 10))
	mine := b.w.Generation()
	require.NoError(t, b.w.SyncAll())
	b.write(2, lampText(2, 20)) // the newcomer's
	commits := b.w.Counters().Commits.Count
	require.NoError(t, b.w.CommitUpTo(mine))
	require.Equal(t, commits, b.w.Counters().Commits.Count)
	require.NoError(t, b.w.SyncAll())
	require.Equal(t, commits+1, b.w.Counters().Commits.Count)
	b.w.CloseState()
	b.w = nil
}
