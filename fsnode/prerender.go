package fsnode

import (
	"context"
	"sync"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// prerenderMost is how many bytes of text are kept ready while a mount opens.
const prerenderMost = 32 << 20

// prerender renders files' texts while the mount is being made and listed, which
// keeps one core busy at most: a listing needs their sizes, and then they are
// handed over.
type prerender struct {
	ctx context.Context
	end context.CancelFunc // no more texts are needed

	mu    sync.Mutex
	texts map[*cache.File]*cache.Rendering // nil: it was not begun; guarded by mu
}

// begin tells whether this is its first call. The other methods come after it.
func (p *prerender) begin(ctx context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.texts != nil {
		return false
	}
	p.ctx, p.end = context.WithCancel(ctx)
	p.texts = make(map[*cache.File]*cache.Rendering)
	return true
}

// run renders texts in order until they take too much memory or are not needed.
func (p *prerender) run(world *cache.World) {
	left := prerenderMost
	for after, ids := entity.ID(0), world.IDs(0, fillBatch); len(ids) > 0; ids = world.IDs(after, fillBatch) {
		for _, file := range world.LookupAll(ids) {
			if left <= 0 || p.ctx.Err() != nil {
				return
			}
			left -= p.render(file)
		}
		after = ids[len(ids)-1]
	}
}

// render renders one text, and returns its size in bytes.
func (p *prerender) render(file *cache.File) int {
	r, err := file.Render()
	if err != nil {
		return 0 // whoever needs it is told
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.texts[file] = r
	return len(r.Text())
}

// text returns a file's bytes, which the caller does not change.
func (p *prerender) text(file *cache.File) ([]byte, error) {
	p.mu.Lock()
	r := p.texts[file]
	delete(p.texts, file)
	p.mu.Unlock()
	if r != nil && r.Current() {
		return r.Text(), nil
	}
	return file.Text()
}
