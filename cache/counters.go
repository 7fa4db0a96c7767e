package cache

import (
	"math/bits"
	"sync"
	"time"

	"github.com/worldfs/worldfs/internal/state"
)

// Counters are what the world has done since it was opened, and what it holds.
type Counters struct {
	Commits     Latency `json:"commits"`     // updates of state.db with edits
	Checkpoints Latency `json:"checkpoints"` // edits made the next pack
	Intakes     Latency `json:"intakes"`     // what came in through the one door
	Bytes       uint64  `json:"bytes"`       // of texts that commits wrote

	Slots    int    `json:"slots"`         // entities that are known beyond the pack
	Dirty    int    `json:"dirty"`         // of these, that wait for a commit
	Unread   int    `json:"unread"`        // texts that wait for being read as entities
	Untold   int    `json:"untold"`        // events that wait for the history
	Position uint64 `json:"position"`      // the history's last
	History  int64  `json:"history_bytes"` // of the history
	State    int64  `json:"state_bytes"`   // of state.db
}

// Latency is how long something took. Times are in microseconds.
type Latency struct {
	Count uint64 `json:"count"`
	Mean  uint64 `json:"mean_us"`
	P99   uint64 `json:"p99_us"` // 99 of 100 took no longer, to an eighth
	Max   uint64 `json:"max_us"`
}

// stopwatch counts how often something was done and how long it took.
type stopwatch struct {
	mu      sync.Mutex
	count   uint64
	total   uint64 // µs
	max     uint64 // µs
	buckets [64 * 8]uint64
}

// start begins to measure; the function returned ends it.
func (s *stopwatch) start() func() {
	begin := time.Now()
	return func() { s.add(time.Since(begin)) }
}

func (s *stopwatch) add(d time.Duration) {
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

func (s *stopwatch) read() Latency {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := Latency{Count: s.count, Max: s.max}
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

// counts is what the world counts.
type counts struct {
	commits, checkpoints, intakes stopwatch

	mu    sync.Mutex
	bytes uint64
}

func (c *counts) wrote(u state.Update) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range u.Records {
		if r != nil {
			c.bytes += uint64(len(r.Text) + len(r.Good))
		}
	}
}

// Counters returns what the world has done since it was opened.
func (w *World) Counters() Counters {
	c := Counters{
		Commits: w.counts.commits.read(), Checkpoints: w.counts.checkpoints.read(), Intakes: w.counts.intakes.read(),
		History: w.tells.log.Size(), State: w.store.Size(),
	}
	c.Position, _ = w.tells.log.Last() // a history that cannot be read is a finding
	w.counts.mu.Lock()
	c.Bytes = w.counts.bytes
	w.counts.mu.Unlock()
	w.mu.RLock()
	defer w.mu.RUnlock()
	c.Slots, c.Dirty, c.Unread, c.Untold = len(w.slots)+w.pristine.Len(), len(w.dirty), len(w.unjudged), len(w.tells.news)
	return c
}
