package prefetch

import (
	"context"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// Mount is what is prefetched.
type Mount interface {
	// Known returns an entity's file and the kernel's pages of it, nil unless the
	// kernel knows the file by name.
	Known(id entity.ID) (*cache.File, Pages)
}

// Pages are the kernel's pages of a file.
type Pages interface {
	// WriteCache has the kernel keep contents from an offset on. It fails when the
	// kernel does not know the file any more.
	WriteCache(offset int64, contents []byte) syscall.Errno
}

// Prefetch prefetches one mount. A nil Prefetch does nothing.
//
// What takes longest needs no mount: the process starts, and texts are rendered, while
// the mount is being made.
type Prefetch struct {
	limit   int64 // bytes of the kernel's memory
	ctx     context.Context
	cancel  context.CancelFunc
	process *Process
	texts   renderer
	work    sync.WaitGroup

	// Set by Begin.
	mount   Mount // nil: there is none yet
	world   *cache.World
	log     *slog.Logger
	barrier *Barrier
	mounted chan struct{} // closed when there is something to list
	done    chan struct{} // closed when nothing more is read
	files   int           // how many the kernel has, once done is closed
}

// Start begins to prefetch a mount that is going to be made, with at most limit bytes
// of the kernel's memory. Command is one that calls Serve with its standard input and
// output.
func Start(limit int64, command []string) (*Prefetch, error) {
	p := &Prefetch{limit: limit}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	var err error
	if p.process, err = StartProcess(p.ctx, command); err != nil {
		p.cancel()
		return nil, err
	}
	return p, nil
}

// Render begins to render what is in the world that will be mounted. Begin does, if it
// was not called before.
func (p *Prefetch) Render(world *cache.World) {
	if p != nil && p.texts.begin(p.ctx) {
		p.work.Go(func() { p.texts.run(world) })
	}
}

// Close returns when nothing goes on any more, and no process of ours is in the mount,
// now or later. What the kernel has it keeps.
func (p *Prefetch) Close() {
	if p == nil {
		return
	}
	p.cancel()
	p.work.Wait()
	if p.mount == nil {
		_ = p.process.End(nil) // it was not used
	}
}

// Begin is called before the mount is made whose entities directory dir is. It returns
// what callers of the mount wait for, until Close or until all is done.
func (p *Prefetch) Begin(m Mount, world *cache.World, dir string, log *slog.Logger) *Barrier {
	if p == nil {
		return NewBarrier()
	}
	p.Render(world)
	p.mount, p.world, p.log = m, world, log
	p.mounted, p.done = make(chan struct{}), make(chan struct{})
	p.barrier = closedBarrier(p.process.PID())
	p.work.Go(func() {
		defer close(p.done)
		defer p.barrier.open()
		defer p.texts.end()
		if err := p.process.End(p.run(dir)); err != nil && p.ctx.Err() == nil {
			p.log.Warn("the mount is not warm, and slower until all was read once", "error", err)
		}
	})
	return p.barrier
}

// Mounted has it go on: the mount is there.
func (p *Prefetch) Mounted() {
	if p != nil {
		close(p.mounted)
	}
}

// run has the process list, hands contents over, and has the process read what there
// was no time for.
func (p *Prefetch) run(dir string) error {
	select {
	case <-p.mounted:
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
	begun := time.Now()
	names := time.AfterFunc(maxListTime, p.barrier.openList)
	all := time.AfterFunc(maxFillTime, p.barrier.open)
	if err := p.process.Open(dir, p.limit); err != nil {
		return err
	}
	if _, err := p.process.Ask(); err != nil {
		return err
	}
	names.Stop()
	p.barrier.openList()
	until := begun.Add(maxFillTime)
	if !all.Stop() {
		until = time.Time{} // a program may have opened a file
	}
	handed, late := p.fill(until)
	p.barrier.openFill()
	filled := time.Since(begun)
	read, err := p.readLate(late)
	p.files = handed + read
	p.log.Info("the mount is warm", "files", p.files, "handed", handed, "took", filled, "read", read, "took_all", time.Since(begun))
	return err
}

// readLate has files read, one at least: by then the kernel knows that none needs to be
// opened, and does not tell us either when one is closed that was just made.
func (p *Prefetch) readLate(names []string) (files int, err error) {
	if len(names) > 0 {
		return p.process.Ask(names...)
	}
	for _, id := range p.world.IDs(0, 1) {
		_, err = p.process.Ask(p.world.Layout().Path(id))
	}
	return 0, err
}

// Progress returns how many files the kernel has, and whether there will be no more.
func (p *Prefetch) Progress() (files int, done bool) {
	if p == nil {
		return 0, true
	}
	select {
	case <-p.done:
		return p.files, true
	default:
		return 0, false
	}
}
