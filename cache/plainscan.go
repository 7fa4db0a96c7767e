package cache

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// earlyScan is a scan of the plain files of entities/ that began before it was
// asked for. It serves the first caller that does anything with them.
type earlyScan struct {
	scan *plainfiles.Scan
	err  error
	done chan struct{} // closed when both are there
}

func (s *plainSync) startScan(dir string) *earlyScan {
	a := &earlyScan{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.scan, a.err = s.scanPlain(dir)
	}()
	return a
}

// scanPlain looks at the files of a directory.
func (s *plainSync) scanPlain(dir string) (*plainfiles.Scan, error) {
	return plainfiles.ScanDir(dir, s.world.Layout(), s.world.store.Stamps)
}

// takeEarlyScanLocked returns the early scan, nil for none. No later caller gets it:
// the files are about to change. The caller has publishing.
func (s *plainSync) takeEarlyScanLocked() *earlyScan {
	a := s.early
	if a != nil {
		<-a.done
	}
	s.early = nil
	return a
}

// scanFirst is scanPlain of entities/, or the early scan of it.
func (s *plainSync) scanFirst(dir string) (*plainfiles.Scan, error) {
	if a := s.takeEarlyScanLocked(); a != nil {
		return a.scan, a.err
	}
	return s.scanPlain(dir)
}

func (s *plainSync) scanAnew(dir string) (*plainfiles.Scan, error) {
	s.takeEarlyScanLocked()
	return s.scanPlain(dir)
}

// DropPlain removes from dir, where the plain files are while the world is
// mounted, those that are as they were when they were last read or written. The
// world has them.
func (s *plainSync) DropPlain(dir string) error {
	known, err := s.world.store.Stamps()
	if err != nil {
		return err
	}
	return plainfiles.DropKnown(s.world.disk, dir, s.world.Layout(), known)
}

// KnowsPlain reports whether the world has plain files, wherever they are.
func (s *plainSync) KnowsPlain() bool {
	known, err := s.world.store.Stamps()
	return err == nil && len(known) > 0
}

// sweepStaging removes what a writer that was killed has left where the plain files
// are, before they are looked at or moved.
func sweepStaging(dir *worlddir.Dir, log *slog.Logger) {
	for _, plain := range []string{dir.EntitiesPath(), dir.PlainPath()} {
		path := filepath.Join(plain, worlddir.StagingName)
		if _, err := os.Lstat(path); err != nil {
			continue // RemoveAll opens the directory, and would wait at a fifo in its place
		}
		if err := disk.RemoveAll(path); err != nil {
			log.Warn("what was left of writing plain files could not be removed", "error", err)
		}
	}
}

// scanRestored is scanAnew where entities whose files are empty here have what their
// plain files say, also if that is what these held before: it was brought back.
func (s *plainSync) scanRestored(dir string) (*plainfiles.Scan, error) {
	p, err := s.scanAnew(dir)
	if err != nil {
		return nil, err
	}
	for id := range p.Stamps {
		if p.Texts[id] != nil || !s.isEmpty(id) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, s.world.Layout().Path(id)))
		if err != nil {
			return nil, fmt.Errorf("read plain files: %w", err)
		}
		p.Texts[id] = text
	}
	return p, nil
}

// isEmpty reports whether an entity has a file without bytes.
func (s *plainSync) isEmpty(id entity.ID) bool {
	stands, empty, err := s.world.control.StandsAs(id, nil)
	return err == nil && stands && empty
}
