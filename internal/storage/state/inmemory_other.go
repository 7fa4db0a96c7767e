//go:build !linux

package state

import (
	"errors"
	"fmt"
	"os"
)

// openInMemory opens a copy of state.db among the temporary files, which is removed when
// the database is closed: no file without a name is to be had here.
func openInMemory(path string) (*database, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "worldfs-state-")
	if err != nil {
		return nil, fmt.Errorf("copy state.db: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return nil, fmt.Errorf("copy state.db: %w", err)
	}
	db, err := openDatabase(f.Name())
	if err != nil {
		_ = os.Remove(f.Name())
		return db, err
	}
	db.temp = f.Name()
	return db, nil
}
