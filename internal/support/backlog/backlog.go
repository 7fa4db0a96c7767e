// Package backlog has work done by a goroutine of its own, in the order in which it was
// added, so that adding some waits for none of it.
//
// It guarantees that what was added is done once, unless the queue is closed before, and
// that Wait returns only after it.
//
// Lock: Queue.mu, of a class that the user gives, is held over no call. Goroutine: one of
// New, until Close.
package backlog

import (
	"sync"

	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Queue is what is to be done.
type Queue[T any] struct {
	do       func(batch []T)
	finished chan struct{} // closed when the goroutine has ended

	mu    lockorder.Mutex
	more  *sync.Cond
	queue []T    // guarded by mu
	added uint64 // how many were ever added; guarded by mu
	done  uint64 // how many of them are done; guarded by mu
	ended bool   // guarded by mu
}

// New returns an empty queue, which do works off: it is called with all that has been
// added since it was called last.
func New[T any](class *lockorder.Class, do func(batch []T)) *Queue[T] {
	q := &Queue[T]{do: do, finished: make(chan struct{})}
	q.mu.Init(class)
	q.more = sync.NewCond(&q.mu)
	go q.run()
	return q
}

// Add adds one to the queue.
func (q *Queue[T]) Add(x T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, x)
	q.added++
	q.more.Broadcast()
}

// Wait returns when all is done that was added before, or the queue is closed.
func (q *Queue[T]) Wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for until := q.added; q.done < until && !q.ended; {
		q.more.Wait()
	}
}

// Len returns how many wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// Close ends the goroutine, once it has done what it is at. What still waits is not done.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.ended = true
	q.more.Broadcast()
	q.mu.Unlock()
	<-q.finished
}

// Closed reports whether the queue is closed.
func (q *Queue[T]) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}

func (q *Queue[T]) run() {
	defer close(q.finished)
	for {
		batch := q.next()
		if batch == nil {
			return
		}
		q.do(batch)
		q.mu.Lock()
		q.done += uint64(len(batch))
		q.more.Broadcast()
		q.mu.Unlock()
	}
}

// next returns what is to be done, nil when nothing more will be.
func (q *Queue[T]) next() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) == 0 && !q.ended {
		q.more.Wait()
	}
	if q.ended {
		return nil
	}
	batch := q.queue
	q.queue = nil
	return batch
}
