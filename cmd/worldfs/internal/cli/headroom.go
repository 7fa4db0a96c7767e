package cli

import (
	"os"
	"path/filepath"
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

// What a command that opens files of the interchange form may take meanwhile: the
// multiple of the largest, and at least so much. The process takes some 20 MB besides.
const (
	memoryPerFile   = 3
	minMemoryOfFile = 64 << 20
)

// WithMemoryOf calls do, which opens worlds by their names. Where all are files of the
// interchange form the memory is kept in proportion to the largest. The limit is soft,
// and not set for compressed files, whose size says little.
func WithMemoryOf(names []string, do func() error) error {
	limit := int64(minMemoryOfFile)
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || filepath.Ext(name) != ".jsonl" {
			return do()
		}
		limit = max(limit, memoryPerFile*info.Size())
	}
	usual := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(usual)
	debug.SetMemoryLimit(min(usual, limit))
	return do()
}
