package cache

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A world that is opened in memory has a copy of state.db in memory and writes
// nothing: what its log has and what came in from outside is published in memory
// alone. So a world can be read whose disk has no room for the work that opening it
// may be. It is thrown away when it is closed.

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
func (s *store) openFile(path string) (*database, error) {
	if s.inMemory {
		return openInMemory(path)
	}
	return openDatabase(path)
}

// publishInMemory has the view be the world as the callers see it, without a pack
// on the disk. The caller has publishing.
func (w *World) publishInMemory(v *View, then func(u *update), told func()) error {
	next, err := w.encode(v)
	if err != nil {
		return err
	}
	w.finish(next, v, then, told)
	return nil
}
