package packstore

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// Store are the packs of one world that are kept.
type Store struct {
	dir       string // where they lie
	world     entity.GUID
	disk      *disk.Disk
	log       *slog.Logger
	state     *state.Store
	published func() *packfile.Pack // the one in memory, nil for none

	last    time.Time  // see NextTime
	durable [32]byte   // the last one that was made durable
	bases   []*os.File // see hold

	declared map[[32]byte][32]byte // hashes of what kept packs declare, by those of the packs; see isDeclared
}

// New returns the packs that a world directory keeps. published returns the
// published one, if it is in memory: it need not be read then. log and published may
// be nil.
func New(dir *worlddir.Dir, d *disk.Disk, log *slog.Logger, s *state.Store, published func() *packfile.Pack) *Store {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if published == nil {
		published = func() *packfile.Pack { return nil }
	}
	return &Store{dir: dir.PacksPath(), world: dir.ID, disk: d, log: log, state: s, published: published, declared: make(map[[32]byte][32]byte)}
}

// Hold keeps the packs that the plain files were written from open, so that renew can
// bring them back.
func (s *Store) Hold() error {
	pinned, err := s.pinned()
	if err != nil {
		return err
	}
	for hash := range pinned {
		f, err := os.Open(s.Path(hash))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("hold the bases of the plain files: %w", err)
		}
		s.bases = append(s.bases, f)
	}
	return nil
}

// Renew writes the packs that hold opened to where they were, if another program has
// removed them.
func (s *Store) Renew() {
	for i, f := range s.bases {
		again, err := putBack(f)
		if err != nil {
			s.log.Warn("a base of the plain files could not be put back", "error", err)
			continue
		}
		s.bases[i] = again
	}
	s.durable = [32]byte{} // it may have been removed and kept once more since
}

// Close closes what hold opened.
func (s *Store) Close() {
	for _, f := range s.bases {
		_ = f.Close() // it was only read
	}
}
