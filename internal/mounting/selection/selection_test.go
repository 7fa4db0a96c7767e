package selection_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/selection"
)

func TestTheLatestSelectionCounts(t *testing.T) {
	var b selection.Board
	require.Zero(t, b.Get())
	at := time.Now()
	require.Equal(t, selection.Selection{Number: 1, Time: at, By: "game", IDs: []entity.ID{7, 3}}, b.Set([]entity.ID{7, 3, 7}, "game", at))
	require.Equal(t, uint64(2), b.Set(nil, "tool", at).Number)
	require.Empty(t, b.Get().IDs)
	is, err := b.Next(context.Background(), 0)
	require.NoError(t, err)
	require.Equal(t, uint64(2), is.Number, "those between are passed over")
}

func TestTheNextSelectionIsWaitedFor(t *testing.T) {
	var b selection.Board
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var after uint64
			for after < 100 {
				is, err := b.Next(ctx, after)
				require.NoError(t, err)
				require.Greater(t, is.Number, after)
				after = is.Number
			}
			_, err := b.Next(ctx, after)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
	for i := range 100 {
		b.Set([]entity.ID{entity.ID(i)}, "", time.Now())
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	all.Wait()
}
