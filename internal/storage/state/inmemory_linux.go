package state

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

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
