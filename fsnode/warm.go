package fsnode

import (
	"context"
	"sync"
	"time"

	"github.com/worldfs/worldfs/cache"
)

// Warming makes a mount's names, attributes and contents known to the kernel before
// anybody asks for them: no read then costs a round trip, not even the first.
//
// Names and attributes the kernel only learns by asking. So another process lists
// the entities directory. Contents are handed over then (see filling), while nobody
// can open a file yet, and what there is no time for that process reads afterwards,
// beside everybody.
//
// What takes longest of that needs no mount: that process starts, and texts are
// rendered, while the mount is being made.
type Warming struct {
	limit  int64
	ctx    context.Context
	cancel context.CancelFunc
	reader *reader
	texts  prerender
	work   sync.WaitGroup

	fsys    *fsys         // nil: there is no mount yet
	mounted chan struct{} // closed when there is something to list
	done    chan struct{} // closed when nothing more is read
	files   int           // how many are warm, once done is closed
}

// Warm begins to make a mount warm that is going to be made, with at most limit
// bytes of the kernel's memory. Reader is a command that calls ReadAhead with its
// standard input and output.
func Warm(limit int64, reader []string) (*Warming, error) {
	w := &Warming{limit: limit}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	var err error
	if w.reader, err = startReader(w.ctx, reader); err != nil {
		w.cancel()
		return nil, err
	}
	return w, nil
}

// Render begins to render what is in the world that will be mounted. Mount does if
// nobody has.
func (w *Warming) Render(world *cache.World) {
	if w != nil && w.texts.begin(w.ctx) {
		w.work.Go(func() { w.texts.run(world) })
	}
}

// Close returns when nothing goes on any more, and no process of ours is in the
// mount, now or later. What is warm stays so.
func (w *Warming) Close() {
	if w == nil {
		return
	}
	w.cancel()
	w.work.Wait()
	if w.fsys == nil {
		_ = w.reader.end(nil) // it was not used
	}
}

// begin is called before the mount is made whose entities directory dir is. From now
// on until Close, or until all is done, the mount is opening.
func (w *Warming) begin(f *fsys, dir string) {
	if w == nil {
		return
	}
	w.Render(f.world)
	w.fsys, w.mounted, w.done = f, make(chan struct{}), make(chan struct{})
	f.opening = beginOpening(w.reader.process())
	w.work.Go(func() {
		defer close(w.done)
		defer f.opening.end()
		defer w.texts.end()
		if err := w.reader.end(w.lead(dir)); err != nil && w.ctx.Err() == nil {
			f.log.Warn("the mount is not warm, and slower until all was read once", "err", err)
		}
	})
}

// start has it go on: the mount is there.
func (w *Warming) start() {
	if w != nil {
		close(w.mounted)
	}
}

// lead has the process list, hands contents over, and has the process read what
// there was no time for.
func (w *Warming) lead(dir string) error {
	select {
	case <-w.mounted:
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
	begun, opening := time.Now(), w.fsys.opening
	names := time.AfterFunc(namesWait, opening.endList)
	all := time.AfterFunc(filesWait, opening.end)
	if err := w.reader.open(dir, w.limit); err != nil {
		return err
	}
	if _, err := w.reader.ask(); err != nil {
		return err
	}
	names.Stop()
	opening.endList()
	until := begun.Add(filesWait)
	if !all.Stop() {
		until = time.Time{} // somebody may have opened a file
	}
	handed, late := w.fsys.fill(w.ctx, &w.texts, w.limit, until)
	opening.endFill()
	filled := time.Since(begun)
	read, err := w.readLate(late)
	w.files = handed + read
	w.fsys.log.Info("the mount is warm", "files", w.files, "handed", handed, "took", filled, "read", read, "with_them", time.Since(begun))
	return err
}

// readLate has files read, one at least: by then the kernel knows that none needs
// to be opened, and does not tell us either when one is closed that was just made.
func (w *Warming) readLate(names []string) (files int, err error) {
	if len(names) > 0 {
		return w.reader.ask(names...)
	}
	for _, id := range w.fsys.world.IDs(0, 1) {
		_, err = w.reader.ask(w.fsys.world.Layout().Path(id))
	}
	return 0, err
}

// warmed returns how many files are warm, and whether there will be no more.
func (w *Warming) warmed() (files int, done bool) {
	if w == nil {
		return 0, true
	}
	select {
	case <-w.done:
		return w.files, true
	default:
		return 0, false
	}
}
