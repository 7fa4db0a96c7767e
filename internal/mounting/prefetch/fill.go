package prefetch

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// filler hands the kernel the contents of files that it knows by name, in order, for as
// long as there is time and memory. No process has opened a file yet, nor does while it
// goes on (invariant 1).
type filler struct {
	*Prefetch
	until time.Time

	mu    sync.Mutex
	after entity.ID // the last file that was taken; guarded by mu

	left atomic.Int64 // bytes of memory
	done atomic.Int64 // files
}

// fillBatch is how many files one goroutine takes at a time.
const fillBatch = 64

// fill hands over what the limit of memory has room for, until a time. It returns how
// many files those are, and the names in the entities directory of those that there
// would have been room for, but no time.
func (p *Prefetch) fill(until time.Time) (files int, late []string) {
	f := filler{Prefetch: p, until: until}
	f.left.Store(p.limit)
	over := make(chan struct{})
	var others sync.WaitGroup
	for i := range min(runtime.GOMAXPROCS(0), readers) - 1 {
		others.Go(func() {
			if i == 0 {
				p.barrier.yieldCPU(p.ctx, over)
			}
			f.run()
		})
	}
	f.run()
	close(over)
	others.Wait()
	return int(f.done.Load()), f.late()
}

func (f *filler) run() {
	for ids := f.take(); len(ids) > 0; ids = f.take() {
		for _, id := range ids {
			if f.hand(id) {
				f.done.Add(1)
			}
		}
	}
}

// take returns the next files, none when the time or the room has run out.
func (f *filler) take() []entity.ID {
	if f.ctx.Err() != nil || !time.Now().Before(f.until) {
		return nil
	}
	return f.next()
}

// next returns the next files, none when there is no room for more.
func (f *filler) next() []entity.ID {
	if f.left.Load() <= 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := f.world.IDs(f.after, fillBatch)
	if len(ids) > 0 {
		f.after = ids[len(ids)-1]
	}
	return ids
}

// hand hands over a file's contents, if it is still there and there is room, and
// reports whether it did. Of what changes meanwhile the kernel is told afterwards
// (invariant 2).
func (f *filler) hand(id entity.ID) bool {
	file, pages := f.mount.Known(id)
	if file == nil {
		return false
	}
	f.barrier.pages.RLock()
	defer f.barrier.pages.RUnlock()
	text, err := f.texts.text(file)
	return err == nil && f.reserve(int64(len(text))) && pages.WriteCache(0, text) == 0
}

// reserve takes the room for a file of a size, in bytes, and reports whether there was
// enough.
func (f *filler) reserve(size int64) bool {
	return f.left.Add(-memoryOf(size)) >= 0
}

// late returns the names of the files that there was no time for.
func (f *filler) late() (names []string) {
	l := f.world.Layout()
	for ids := f.next(); len(ids) > 0; ids = f.next() {
		for _, id := range ids {
			file, _ := f.mount.Known(id)
			if file == nil {
				continue
			}
			if a, err := file.Attr(); err == nil && f.reserve(a.Size) {
				names = append(names, l.Path(id))
			}
		}
	}
	return names
}
