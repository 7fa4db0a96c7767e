//go:build !linux

package disk

import (
	"errors"
	"os"
)

// Packs are made on other systems too, where nothing is mounted. There a file
// can only be renamed over another, and directories look after themselves.

func renameNew(_, _ string) error { return errors.ErrUnsupported }

func exchange(_, _ string) error { return errors.ErrUnsupported }

func syncDir(string) error { return nil }

func syncData(f *os.File) error { return f.Sync() }

func syncFileSystem(string) error { return nil }

func allocate(*os.File, int64) error { return errors.ErrUnsupported }

// HasRoom reports whether a directory's file system surely has so much room left: what asks
// it can do without, and does here.
func HasRoom(string, int64, int64) bool { return false }

// ordinaryOnly are no flags: what is opened was looked at before.
const ordinaryOnly = 0
