package daemon

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/worldfs/worldfs/cache"
)

// Counters are what a daemon has done since it was started, and what it holds.
type Counters struct {
	Uptime      float64 `json:"uptime_s"`
	Memory      uint64  `json:"memory_bytes"` // resident
	Heap        uint64  `json:"heap_bytes"`   // of what is in use
	Descriptors int     `json:"descriptors"`
	Goroutines  uint64  `json:"goroutines"`
	Nodes       int     `json:"nodes"`   // files and directories that the kernel knows
	Notices     int     `json:"notices"` // that wait to be sent to the kernel

	// Requests is how often the kernel has asked for what.
	Requests map[string]uint64 `json:"requests"`
	Warmed   int               `json:"warmed"`  // files that were prefetched into the kernel's cache
	Warming  bool              `json:"warming"` // more are being read
	cache.Counters
}

func (d *daemon) counters() *Counters {
	c := &Counters{
		Uptime: time.Since(d.record.Started).Seconds(), Memory: resident(), Descriptors: descriptors(),
		Requests: d.mount.Requests(), Counters: d.world.Counters(),
	}
	c.Nodes, c.Notices = d.mount.Held()
	var done bool
	c.Warmed, done = d.mount.Warmed()
	c.Warming = !done
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/sched/goroutines:goroutines"}}
	metrics.Read(samples)
	c.Heap, c.Goroutines = samples[0].Value.Uint64(), samples[1].Value.Uint64()
	return c
}

// resident returns how much memory the process has, 0 where that is not known.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(fields[1], 10, 64) // the kernel wrote it
	return pages * uint64(os.Getpagesize())
}

// descriptors returns how many files the process has open, 0 where that is not
// told.
func descriptors() int {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(open) - 1 // but for the one that lists them
}
