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

// hasRoom is asked before a reserve is made, which only a mount needs.
func hasRoom(string, int64, int64) bool { return false }

// ordinaryOnly are no flags: what is opened was looked at before.
const ordinaryOnly = 0
