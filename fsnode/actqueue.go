package fsnode

import (
	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// maxActs is how many acts wait, at most. Each makes three events, and the kernel
// keeps 16,384 for a watcher that does not read them (max_queued_events).
const maxActs = 4096

// actQueue has the acts that wait, at most one for each entity: the last.
type actQueue struct {
	world *cache.World
	more  chan struct{} // has room for one: there are acts

	mu         lockorder.Mutex
	generation uint64            // of the last act; guarded by mu
	order      []entity.ID       // guarded by mu
	acts       map[entity.ID]act // guarded by mu
	crowded    map[string]bool   // directories in which more changed than there was room for; guarded by mu
}

func newActQueue(w *cache.World) *actQueue {
	q := &actQueue{
		world: w, more: make(chan struct{}, 1), acts: make(map[entity.ID]act), crowded: make(map[string]bool),
	}
	q.mu.Init(&classQueue)
	return q
}

// add adds what notices call for.
func (q *actQueue) add(batch []notice) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, x := range batch {
		if x.moved {
			q.crowded[topDir] = true
		} else if a, ok := newAct(q.world, x); ok {
			q.addLocked(a)
		}
	}
	q.tellLocked()
}

// again adds acts once more that came to nothing, unless there are newer ones.
func (q *actQueue) again(acts []act) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, a := range acts {
		if _, newer := q.acts[a.id]; newer || a.done || a.what == crowd {
			continue
		}
		if a.made {
			a.what = changed
		}
		q.addLocked(a)
	}
	q.tellLocked()
}

// crowd adds that a directory changed.
func (q *actQueue) crowd(dir string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.crowded[dir] = true
	q.tellLocked()
}

func (q *actQueue) addLocked(a act) {
	last, waits := q.acts[a.id]
	switch {
	case waits && last.what == created && a.what == changed:
		a.what = created // it was not shown yet
	case !waits && len(q.order) == maxActs:
		q.crowded[a.dir()] = true
		return
	case !waits:
		q.order = append(q.order, a.id)
	}
	q.generation++
	a.generation, a.made = q.generation, false
	q.acts[a.id] = a
}

func (q *actQueue) tellLocked() {
	if len(q.order)+len(q.crowded) == 0 {
		return
	}
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// take takes the first acts, at most so many. What crowds did comes last.
func (q *actQueue) take(most int) (batch []act) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) > 0 && len(batch) < most {
		id := q.order[0]
		q.order = q.order[1:]
		batch = append(batch, q.acts[id])
		delete(q.acts, id)
	}
	for dir := range q.crowded {
		if len(q.order) > 0 || len(batch) == most {
			break
		}
		q.generation++
		batch = append(batch, act{generation: q.generation, what: crowd, path: dir})
		delete(q.crowded, dir)
	}
	return batch
}

// newer reports whether something newer waits for an entity.
func (q *actQueue) newer(id entity.ID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, waits := q.acts[id]
	return waits
}
