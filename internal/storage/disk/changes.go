package disk

import (
	"errors"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Changes returns a channel that has an element after a change of the file at
// path, which need not be there, until stop is called. Its directory is watched:
// where the kernel does not do that, the error says so.
func Changes(path string) (events <-chan struct{}, stop func(), err error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, func() {}, err
	}
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		return nil, func() {}, errors.Join(err, watcher.Close())
	}
	out := make(chan struct{}, 1)
	go func() {
		for {
			select {
			case e, ok := <-watcher.Events:
				if !ok {
					return
				}
				if filepath.Base(e.Name) != filepath.Base(path) {
					continue
				}
			case _, ok := <-watcher.Errors: // events were lost
				if !ok {
					return
				}
			}
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	return out, func() { _ = watcher.Close() }, nil
}
