package replay

import (
	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// MaxEvents is how many events wait, at most. Each makes three events, and the kernel
// keeps 16,384 for a watcher that does not read them (max_queued_events).
const MaxEvents = 4096

// eventQueue has the events that wait, at most one for each entity: the last.
type eventQueue struct {
	world *cache.World
	more  chan struct{} // has room for one: there are events

	mu         lockorder.Mutex
	generation uint64              // of the last event; guarded by mu
	order      []entity.ID         // guarded by mu
	events     map[entity.ID]event // guarded by mu
	overflowed map[string]bool     // directories in which more changed than there was room for; guarded by mu
}

func newEventQueue(w *cache.World) *eventQueue {
	q := &eventQueue{
		world: w, more: make(chan struct{}, 1), events: make(map[entity.ID]event), overflowed: make(map[string]bool),
	}
	q.mu.Init(&classQueue)
	return q
}

// add adds what notices call for.
func (q *eventQueue) add(batch []Notice) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, x := range batch {
		if x.Moved {
			q.overflowed[TopDir] = true
		} else if a, ok := newEvent(q.world, x); ok {
			q.addLocked(a)
		}
	}
	q.wakeLocked()
}

// announce adds an event, whether or not it is so.
func (q *eventQueue) announce(id entity.ID, what Change) {
	a := event{id: id, what: what, path: q.world.Layout().Path(id)}
	if file, err := q.world.Lookup(id); err == nil {
		a.ino = file.Ino()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addLocked(a)
	q.wakeLocked()
}

// again adds events once more that came to nothing, unless there are newer ones.
func (q *eventQueue) again(events []event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, a := range events {
		if _, newer := q.events[a.id]; newer || a.done || a.what == overflow {
			continue
		}
		if a.made {
			a.what = Changed
		}
		q.addLocked(a)
	}
	q.wakeLocked()
}

// overflow adds that a directory changed.
func (q *eventQueue) overflow(dir string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.overflowed[dir] = true
	q.wakeLocked()
}

func (q *eventQueue) addLocked(a event) {
	last, waits := q.events[a.id]
	switch {
	case waits && last.what == Created && a.what == Changed:
		a.what = Created // it was not shown yet
	case !waits && len(q.order) == MaxEvents:
		q.overflowed[a.dir()] = true
		return
	case !waits:
		q.order = append(q.order, a.id)
	}
	q.generation++
	a.generation, a.made = q.generation, false
	q.events[a.id] = a
}

func (q *eventQueue) wakeLocked() {
	if len(q.order)+len(q.overflowed) == 0 {
		return
	}
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// take takes the first events, at most so many. Overflows come last.
func (q *eventQueue) take(most int) (batch []event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) > 0 && len(batch) < most {
		id := q.order[0]
		q.order = q.order[1:]
		batch = append(batch, q.events[id])
		delete(q.events, id)
	}
	for dir := range q.overflowed {
		if len(q.order) > 0 || len(batch) == most {
			break
		}
		q.generation++
		batch = append(batch, event{generation: q.generation, what: overflow, path: dir})
		delete(q.overflowed, dir)
	}
	return batch
}

// newer reports whether something newer waits for an entity.
func (q *eventQueue) newer(id entity.ID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, waits := q.events[id]
	return waits
}
