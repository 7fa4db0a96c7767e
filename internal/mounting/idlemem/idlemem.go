// Package idlemem gives memory that a process does not use back to the system, when
// there is no work: collecting the garbage of a large world takes both cores for a
// while.
package idlemem

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// When memory that is not used goes back to the system, and where it is worth it.
const (
	idleLook   = time.Second     // how often it is looked whether there is work
	idleAfter  = 5 * time.Second // without work
	idleLittle = 1 << 20         // bytes allocated between two looks that are no work
	idleWorth  = 8 << 20         // bytes that are worth it
)

// heapUse is what the runtime reports of the heap, in bytes.
type heapUse struct {
	allocated uint64 // since the process began
	unused    uint64 // garbage as far as that is known, and what is free but the process's
}

func readHeapUse() heapUse {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(samples)
	free, objects, live := samples[1].Value.Uint64(), samples[2].Value.Uint64(), samples[3].Value.Uint64()
	return heapUse{allocated: samples[0].Value.Uint64(), unused: free + objects - min(objects, live)}
}

// idling knows when the process has been idle for long enough.
type idling struct {
	allocated uint64    // at the last look
	since     time.Time // the last look that found work
}

// due is one look, which reports whether memory is to be given back.
func (i *idling) due(now time.Time, u heapUse) bool {
	worked := u.allocated-i.allocated > idleLittle
	i.allocated = u.allocated
	if worked || i.since.IsZero() {
		i.since = now
	}
	return now.Sub(i.since) >= idleAfter && u.unused >= idleWorth
}

// Headroom is how much garbage there may be before any is collected while others
// wait for the process. What opening a world of 10,000 entities makes is less;
// collecting it took a third of the time until their names were known.
type Headroom []byte

// NewHeadroom takes headroom, bytes that are never touched and therefore take no
// memory: the collector begins when the heap has doubled.
func NewHeadroom() Headroom { return make(Headroom, 64<<20) }

// GiveBack gives memory back to the system whenever there is no work, the first time
// once ready is closed. Until then it holds on to h. It returns when done is closed.
func (h Headroom) GiveBack(ready, done <-chan struct{}) {
	<-ready
	runtime.KeepAlive(h)
	look := time.NewTicker(idleLook)
	defer look.Stop()
	var i idling
	for {
		select {
		case <-done:
			return
		case now := <-look.C:
			if i.due(now, readHeapUse()) {
				debug.FreeOSMemory()
			}
		}
	}
}
