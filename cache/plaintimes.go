package cache

import (
	"github.com/worldfs/worldfs/internal/storage/state"
)

// Version control compares a file's mtime with the one that it noted, and reads the
// file again where they differ. So a file has one mtime, mounted or not: the mount
// takes over that of the plain file with the same text, and the plain file gets that
// of the mount. Of an entity that was never touched the stamp of its plain file is all
// that is kept: a record of its own for each would be most of state.db.

// loadPlainTimes has files that were never touched show what the stamps have from now on.
func (s *plainSync) loadPlainTimes() error {
	t, err := s.world.store.PlainTimes()
	if err == nil {
		s.world.control.SetPlainTimes(t)
	}
	return err
}

// putPlain notes what is known of the plain files now.
func (s *plainSync) putPlain(u state.PlainUpdate) error {
	if err := s.world.store.PutPlain(u); err != nil {
		return err
	}
	return s.loadPlainTimes()
}
