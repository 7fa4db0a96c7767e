package state

import "errors"

// ErrInMemory is why a world that is open in memory cannot be changed.
var ErrInMemory = errors.New("the world is open in memory only")

// openFile opens state.db, or a copy of it where the store is in memory.
func (s *Store) openFile(path string) (*database, error) {
	if s.inMemory {
		return openInMemory(path)
	}
	return openDatabase(path)
}

// InMemory reports whether nothing is written: what the store holds is a copy of
// state.db in memory.
func (s *Store) InMemory() bool { return s.inMemory }
