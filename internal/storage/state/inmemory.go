package state

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ErrInMemory is why a world that is open in memory cannot be changed.
var ErrInMemory = errors.New("the world is open in memory only")

// openInMemory opens a copy of state.db that has no name: it is gone when the
// database is closed.
func openInMemory(path string) (*database, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("state.db", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("copy state.db into memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "state.db in memory")
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return nil, fmt.Errorf("copy state.db into memory: %w", err)
	}
	return openDatabase("/proc/self/fd/" + strconv.Itoa(fd))
}

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
