package fsnode

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// filling hands the kernel the contents of files that it knows by name, in order,
// for as long as there is time and memory. Nobody has opened a file yet, nor does
// while it goes on (see opening).
//
// Handing one over (NOTIFY_STORE) costs a tenth of what a process pays that reads
// it. Later it could not be done: the kernel would store what it is handed over
// what a program has just written to the page and has not been sent to us yet, and
// send us that. A write would be lost, and nothing that we know at the time tells
// of it.
type filling struct {
	ctx   context.Context
	fsys  *fsys
	ready *prerender
	until time.Time

	mu    sync.Mutex
	after entity.ID // the last file that was taken; guarded by mu

	left atomic.Int64 // bytes of memory
	done atomic.Int64 // files
}

// fillBatch is how many files one goroutine takes at a time.
const fillBatch = 64

// fill hands over what a limit of memory, in bytes, has room for, until a time. It
// returns how many files those are, and the names in the entities directory of
// those that there would have been room for, but no time.
func (f *fsys) fill(ctx context.Context, ready *prerender, limit int64, until time.Time) (files int, late []string) {
	fl := filling{ctx: ctx, fsys: f, ready: ready, until: until}
	fl.left.Store(limit)
	over := make(chan struct{})
	var others sync.WaitGroup
	for i := range min(runtime.GOMAXPROCS(0), readers) - 1 {
		others.Go(func() {
			if i == 0 {
				f.opening.leaveCore(ctx, over)
			}
			fl.run()
		})
	}
	fl.run()
	close(over)
	others.Wait()
	return int(fl.done.Load()), fl.late()
}

func (f *filling) run() {
	for ids := f.take(); len(ids) > 0; ids = f.take() {
		for _, id := range ids {
			if f.hand(id) {
				f.done.Add(1)
			}
		}
	}
}

// take returns the next files, none when the time or the room has run out.
func (f *filling) take() []entity.ID {
	if f.ctx.Err() != nil || !time.Now().Before(f.until) {
		return nil
	}
	return f.next()
}

// next returns the next files, none when there is no room for more.
func (f *filling) next() []entity.ID {
	if f.left.Load() <= 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := f.fsys.world.IDs(f.after, fillBatch)
	if len(ids) > 0 {
		f.after = ids[len(ids)-1]
	}
	return ids
}

// hand hands over a file's contents, if it is still there and there is room, and
// tells whether it did. Of what changes meanwhile the kernel is told afterwards.
func (f *filling) hand(id entity.ID) bool {
	file, n := f.find(id)
	if file == nil {
		return false
	}
	f.fsys.opening.pages.RLock()
	defer f.fsys.opening.pages.RUnlock()
	text, err := f.ready.text(file)
	return err == nil && f.reserve(int64(len(text))) && n.WriteCache(0, text) == 0
}

// reserve takes the room for a file of a size, in bytes, if there is enough.
func (f *filling) reserve(size int64) bool {
	return f.left.Add(-memoryOf(size)) >= 0
}

// find returns an entity's file and its node, nil if the kernel does not know it.
func (f *filling) find(id entity.ID) (*cache.File, *File) {
	file, err := f.fsys.world.Lookup(id)
	if err != nil {
		return nil, nil
	}
	n, err := f.fsys.liveEntity(id)
	if err != nil || !n.serves(file) {
		return nil, nil
	}
	return file, n
}

// late returns the names of the files that there was no time for.
func (f *filling) late() (names []string) {
	l := f.fsys.world.Layout()
	for ids := f.next(); len(ids) > 0; ids = f.next() {
		for _, id := range ids {
			file, _ := f.find(id)
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
