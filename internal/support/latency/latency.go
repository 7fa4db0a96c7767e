// Package latency counts how often something was done and how long it took: number,
// mean, 99th percentile and maximum, in constant memory.
package latency

import (
	"math/bits"
	"sync"
	"time"
)

// Summary is how long something took. Times are in microseconds.
type Summary struct {
	Count uint64 `json:"count"`
	Mean  uint64 `json:"mean_us"`
	P99   uint64 `json:"p99_us"` // 99 of 100 took no longer, to an eighth
	Max   uint64 `json:"max_us"`
}

// Stopwatch counts how often something was done and how long it took.
type Stopwatch struct {
	mu      sync.Mutex
	count   uint64
	total   uint64 // µs
	max     uint64 // µs
	buckets [64 * 8]uint64
}

// Start begins to measure; the function returned ends it.
func (s *Stopwatch) Start() func() {
	begin := time.Now()
	return func() { s.add(time.Since(begin)) }
}

func (s *Stopwatch) add(d time.Duration) {
	us := uint64(max(d, 0).Microseconds())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	s.total += us
	s.max = max(s.max, us)
	s.buckets[bucketOf(us)]++
}

// bucketOf returns the bucket of a time: eight for each power of two.
func bucketOf(us uint64) int {
	n := bits.Len64(us)
	if n <= 3 {
		return int(us)
	}
	return (n-3)*8 + int(us>>(n-4))&7
}

// bucketEnd returns the largest time of a bucket.
func bucketEnd(bucket int) uint64 {
	if bucket < 8 {
		return uint64(bucket)
	}
	shift := bucket/8 - 1
	return (uint64(8+bucket%8)+1)<<shift - 1
}

func (s *Stopwatch) Read() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := Summary{Count: s.count, Max: s.max}
	if s.count == 0 {
		return l
	}
	l.Mean = s.total / s.count
	rest := s.count - (s.count+99)/100 // those that may not be among the slowest hundredth
	seen := uint64(0)
	for bucket, n := range s.buckets {
		if seen += n; seen >= max(rest, 1) {
			l.P99 = min(bucketEnd(bucket), s.max)
			break
		}
	}
	return l
}
