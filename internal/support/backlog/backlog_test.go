package backlog_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/support/backlog"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

var class = lockorder.Class{Rank: 1, Name: "backlog_test"}

func TestAllIsDoneInOrderByTheTimeWaitReturns(t *testing.T) {
	var mu sync.Mutex
	var done []int
	q := backlog.New(&class, func(batch []int) {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, batch...)
	})
	defer q.Close()
	var want []int
	for i := range 1000 {
		q.Add(i)
		want = append(want, i)
		if i%100 == 0 {
			q.Wait()
			mu.Lock()
			require.Equal(t, want, done)
			mu.Unlock()
		}
	}
	q.Wait()
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, want, done)
	require.Zero(t, q.Len())
}

func TestAddingWaitsForNothing(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	q := backlog.New(&class, func([]int) {
		begun <- struct{}{}
		<-goOn
	})
	q.Add(1)
	<-begun
	q.Add(2)
	q.Add(3)
	require.Equal(t, 2, q.Len())
	close(goOn)
	<-begun
	q.Close()
	require.True(t, q.Closed())
}

func TestNothingIsDoneOnceClosed(t *testing.T) {
	q := backlog.New(&class, func([]int) { t.Error("it was called") })
	q.Close()
	q.Add(1)
	q.Wait()
	require.Equal(t, 1, q.Len())
}
