package cache

import (
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/plainfiles"
	"github.com/worldfs/worldfs/worlddir"
)

// plainAhead is a look at the plain files of entities/ that was begun before
// anybody asked. It is good for whoever is the first to do anything with them.
type plainAhead struct {
	scan *plainfiles.Scan
	err  error
	done chan struct{} // closed when both are there
}

func (w *World) scanAhead(dir string) *plainAhead {
	a := &plainAhead{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.scan, a.err = w.scanPlain(dir)
	}()
	return a
}

// scanPlain looks at the files of a directory.
func (w *World) scanPlain(dir string) (*plainfiles.Scan, error) {
	return plainfiles.ScanDir(dir, w.Layout(), w.store.Stamps)
}

// takeAhead returns the look ahead, nil for none, which nobody gets any more:
// the files are about to change. The caller has publishing.
func (w *World) takeAhead() *plainAhead {
	a := w.ahead
	if a != nil {
		<-a.done
	}
	w.ahead = nil
	return a
}

// scanFirst is scanPlain of entities/, or what was seen ahead of it.
func (w *World) scanFirst(dir string) (*plainfiles.Scan, error) {
	if a := w.takeAhead(); a != nil {
		return a.scan, a.err
	}
	return w.scanPlain(dir)
}

func (w *World) scanAnew(dir string) (*plainfiles.Scan, error) {
	w.takeAhead()
	return w.scanPlain(dir)
}

// DropPlain removes from dir, where the plain files are while the world is
// mounted, those that are as they were when they were last read or written. The
// world has them.
func (w *World) DropPlain(dir string) error {
	known, err := w.store.Stamps()
	if err != nil {
		return err
	}
	return plainfiles.DropKnown(w.disk, dir, w.Layout(), known)
}

// KnowsPlain reports whether the world has plain files, wherever they are.
func (w *World) KnowsPlain() bool {
	known, err := w.store.Stamps()
	return err == nil && len(known) > 0
}

// sweepStaging removes what a writer that was killed has left where the plain files
// are, before they are looked at or moved.
func (w *World) sweepStaging() {
	for _, dir := range []string{w.dir.EntitiesPath(), w.dir.PlainPath()} {
		path := filepath.Join(dir, worlddir.StagingName)
		if _, err := os.Lstat(path); err != nil {
			continue // RemoveAll opens dir, and would wait at a fifo in its place
		}
		if err := os.RemoveAll(path); err != nil {
			w.log.Warn("what was left of writing plain files could not be removed", "error", err)
		}
	}
}
