package prefetch

import (
	"context"
	"sync"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// maxRendered is how many bytes of text are kept ready while a mount opens.
const maxRendered = 32 << 20

// renderer renders files' texts while the mount is being made and listed, which
// keeps one core busy at most: a listing needs their sizes, and then they are
// handed over.
type renderer struct {
	ctx context.Context
	end context.CancelFunc // no more texts are needed

	mu    sync.Mutex
	texts map[*cache.File]*cache.Rendering // nil: it was not begun; guarded by mu
}

// begin reports whether this is its first call. The other methods come after it.
func (r *renderer) begin(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts != nil {
		return false
	}
	r.ctx, r.end = context.WithCancel(ctx)
	r.texts = make(map[*cache.File]*cache.Rendering)
	return true
}

// run renders texts in order until they take too much memory or are not needed.
func (r *renderer) run(world *cache.World) {
	left := maxRendered
	for after, ids := entity.ID(0), world.IDs(0, fillBatch); len(ids) > 0; ids = world.IDs(after, fillBatch) {
		for _, file := range world.LookupAll(ids) {
			if left <= 0 || r.ctx.Err() != nil {
				return
			}
			left -= r.render(file)
		}
		after = ids[len(ids)-1]
	}
}

// render renders one text, and returns its size in bytes.
func (r *renderer) render(file *cache.File) int {
	text, err := file.Render()
	if err != nil {
		return 0 // the reader is told
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[file] = text
	return len(text.Text())
}

// text returns a file's bytes, which the caller does not change.
func (r *renderer) text(file *cache.File) ([]byte, error) {
	r.mu.Lock()
	text := r.texts[file]
	delete(r.texts, file)
	r.mu.Unlock()
	if text != nil && text.Current() {
		return text.Text(), nil
	}
	return file.Text()
}
