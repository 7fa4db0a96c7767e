// Package dirwatch says that something has changed in some directories, for a caller that
// then looks for itself.
//
// What it says is a hint: changes that come together are one, and a change may be told of
// that is none. Where the kernel does not tell (it has a limit of what it watches, and knows
// nothing of what others change on a network's disk) nothing is said, so that a caller
// looks now and then anyhow.
package dirwatch

import (
	"errors"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// Watch watches directories. Its zero value watches none.
type Watch struct {
	C <-chan struct{} // has an element after something has changed

	mu      sync.Mutex
	watcher *fsnotify.Watcher
	watched map[string]bool // guarded by mu
}

// New returns a watch of no directory yet. One that the kernel refuses is returned too: its
// channel never has an element.
func New() (*Watch, error) {
	c := make(chan struct{}, 1)
	w := &Watch{C: c, watched: make(map[string]bool)}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return w, err
	}
	w.watcher = watcher
	go w.forward(c)
	return w, nil
}

func (w *Watch) forward(c chan<- struct{}) {
	for {
		select {
		case e, ok := <-w.watcher.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue // or a mere look at attributes is one
			}
		case _, ok := <-w.watcher.Errors: // events were lost
			if !ok {
				return
			}
		}
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Follow has these directories watched, and no others. The error says which cannot be; the
// others are.
func (w *Watch) Follow(dirs ...string) error {
	if w.watcher == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	wanted := make(map[string]bool, len(dirs))
	var problems []error
	for _, dir := range dirs {
		wanted[dir] = true
		// One that was removed and made again has to be added again, which costs nothing
		// where it was not.
		if err := w.watcher.Add(dir); err != nil {
			problems = append(problems, err)
			continue
		}
		w.watched[dir] = true
	}
	for dir := range w.watched {
		if !wanted[dir] {
			_ = w.watcher.Remove(dir) // it may have gone by itself
			delete(w.watched, dir)
		}
	}
	return errors.Join(problems...)
}

// Close ends the watch.
func (w *Watch) Close() {
	if w.watcher != nil {
		_ = w.watcher.Close() // nothing is read from it any more
	}
}
