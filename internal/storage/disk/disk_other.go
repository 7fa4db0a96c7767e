//go:build !linux

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Packs are made on other systems too, where nothing is mounted. There a file
// can only be renamed over another, and directories look after themselves.

// RemoveAll removes a path with what is in it; where there is none it does nothing. What
// os.RemoveAll asks of Windows not every version has, nor Wine.
func RemoveAll(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := RemoveAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(path)
}

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
