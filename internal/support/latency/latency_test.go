package latency

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
		require.Less(t, b, len(Stopwatch{}.buckets))
		require.LessOrEqual(t, us, bucketEnd(b))
		if b > 0 {
			require.Greater(t, us, bucketEnd(b-1))
		}
		require.LessOrEqual(t, float64(bucketEnd(b)), float64(us)*1.125+1)
	})
}

func TestLatencies(t *testing.T) {
	var s Stopwatch
	require.Zero(t, s.Read())
	s.add(7 * time.Microsecond)
	require.Equal(t, Summary{1, 7, 7, 7}, s.Read())
	for range 98 {
		s.add(7 * time.Microsecond)
	}
	s.add(time.Second)
	require.Equal(t, Summary{100, 10006, 7, 1e6}, s.Read())
	s.add(time.Second)
	require.Equal(t, uint64(7), s.Read().P99)
	s.add(time.Second)
	s.add(time.Second)
	require.Equal(t, uint64(1e6), s.Read().P99)
}
