package cli

import (
	"runtime"
	"runtime/debug"
)

// headroom is how much garbage a command may make before any is collected.
// What most commands allocate in their tenths of a second is less; collecting it
// took pack a third of its time.
const headroom = 64 << 20

// minHeap is how large the heap is when the collector first begins, at the
// usual 100 percent.
const minHeap = 4 << 20

// withHeadroom calls do. From the first collection on they come as usual. Bytes
// that are never touched would put that off, too, but allocating as many begins
// a collection at once, which took a millisecond.
func withHeadroom(do func() error) error {
	usual := debug.SetGCPercent(100 * headroom / minHeap)
	runtime.AddCleanup(new(collected), func(percent int) { debug.SetGCPercent(percent) }, usual)
	return do()
}

// collected is what the first collection finds to be garbage.
type collected struct{ _ [32]byte }
