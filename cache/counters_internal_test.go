package cache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestABucketHoldsWhatIsPutIntoIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.Uint64Range(0, 1<<62).Draw(t, "us")
		b := bucketOf(us)
		require.Less(t, b, len(stopwatch{}.buckets))
		require.LessOrEqual(t, us, bucketEnd(b))
		if b > 0 {
			require.Greater(t, us, bucketEnd(b-1))
		}
		require.LessOrEqual(t, float64(bucketEnd(b)), float64(us)*1.125+1)
	})
}

func TestLatencies(t *testing.T) {
	var s stopwatch
	require.Zero(t, s.read())
	s.add(7 * time.Microsecond)
	require.Equal(t, Latency{1, 7, 7, 7}, s.read())
	for range 98 {
		s.add(7 * time.Microsecond)
	}
	s.add(time.Second)
	require.Equal(t, Latency{100, 10006, 7, 1e6}, s.read())
	s.add(time.Second)
	require.Equal(t, uint64(7), s.read().P99)
	s.add(time.Second)
	s.add(time.Second)
	require.Equal(t, uint64(1e6), s.read().P99)
}
