package fsnode

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/fuseconn"
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

	mu   sync.Mutex
	todo []toldName // guarded by mu

	left atomic.Int64 // bytes of memory
	done atomic.Int64 // files
}

// fillBatch is how many files one goroutine takes at a time.
const fillBatch = 64

// fill hands over what a limit of memory, in bytes, has room for, until a time. It
// returns how many files those are, and the names in the entities directory of
// those that there would have been room for, but no time.
func (f *fsys) fill(ctx context.Context, ready *prerender, limit int64, until time.Time) (files int, late []string) {
	fl := filling{ctx: ctx, fsys: f, ready: ready, until: until, todo: f.ahead.takeTold()}
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
	store := f.fsys.conn.requests.NewStore()
	for files := f.take(); len(files) > 0; files = f.take() {
		for _, file := range files {
			if f.hand(store, file) {
				f.done.Add(1)
			}
		}
	}
}

// take returns the next files, none when the time or the room has run out.
func (f *filling) take() []toldName {
	if f.ctx.Err() != nil || !time.Now().Before(f.until) {
		return nil
	}
	return f.next()
}

// next returns the next files, none when there is no room for more.
func (f *filling) next() []toldName {
	if f.left.Load() <= 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(fillBatch, len(f.todo))
	files := f.todo[:n]
	f.todo = f.todo[n:]
	return files
}

// hand hands over a file's contents, if it is still there and there is room, and
// tells whether it did. Of what changes meanwhile the kernel is told afterwards.
func (f *filling) hand(store *fuseconn.Store, t toldName) bool {
	file := f.find(t)
	if file == nil {
		return false
	}
	f.fsys.opening.pages.RLock()
	defer f.fsys.opening.pages.RUnlock()
	text, err := f.ready.text(file)
	return err == nil && f.reserve(int64(len(text))) && store.Put(t.node, text) == nil
}

// reserve takes the room for a file of a size, in bytes, if there is enough.
func (f *filling) reserve(size int64) bool {
	return f.left.Add(-memoryOf(size)) >= 0
}

// find returns the file that the kernel was told of, nil if that is gone.
func (f *filling) find(t toldName) *cache.File {
	file, err := f.fsys.world.Lookup(t.id)
	if err != nil {
		return nil
	}
	n, err := f.fsys.liveEntity(t.id)
	if err != nil || n.StableAttr().Ino != t.ino {
		return nil
	}
	return file
}

// late returns the names of the files that there was no time for.
func (f *filling) late() (names []string) {
	l := f.fsys.world.Layout()
	for files := f.next(); len(files) > 0; files = f.next() {
		for _, t := range files {
			file := f.find(t)
			if file == nil {
				continue
			}
			if a, err := file.Attr(); err == nil && f.reserve(a.Size) {
				names = append(names, l.Path(t.id))
			}
		}
	}
	return names
}
