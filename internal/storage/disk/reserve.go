package disk

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// IsNoRoom reports whether a step failed because the disk is full, of bytes or of
// inodes, or because its user may have no more of it.
func IsNoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Reserve is room that is set aside on a disk for what must be written even when
// the disk is full: a directory of files that hold nothing. They are several so that
// there are inodes among what is set aside. The zero Reserve never has any.
type Reserve struct {
	Dir string
}

// reserveFiles is how many files a reserve is.
const reserveFiles = 32

// Fill makes the reserve of that size, unless this would leave the disk less than as
// much again: free space serves other programs first.
func (r Reserve) Fill(size int64) error {
	if r.Dir == "" || r.size() >= size-size/4 {
		return nil // a little less is as good: packs grow and shrink all the time
	}
	if !HasRoom(filepath.Dir(r.Dir), 2*size, 2*reserveFiles) {
		return nil
	}
	return r.fill(size)
}

// fill makes the reserve of that size, or as large as there is room for.
func (r Reserve) fill(size int64) error {
	if err := os.Mkdir(r.Dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if info, err := os.Lstat(r.Dir); err != nil || !info.IsDir() {
		return &StepError{Step: "make reserve", Path: r.Dir, Err: syscall.ENOTDIR} // a symlink leads anywhere
	}
	each := (size + reserveFiles - 1) / reserveFiles
	for i := range reserveFiles {
		if err := fillReserve(filepath.Join(r.Dir, strconv.Itoa(i)), each); err != nil {
			return err
		}
	}
	return nil
}

// fillReserve makes a file that takes up so many bytes.
func fillReserve(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = allocate(f, size)
	if errors.Is(err, errors.ErrUnsupported) {
		_, err = io.CopyN(f, rand.Reader, size) // which no file system stores in less room
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // the first error is the one to tell
	}
	return err
}

// size returns how many bytes are set aside.
func (r Reserve) size() (size int64) {
	entries, _ := os.ReadDir(r.Dir) // where there is none nothing is
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// Spend calls do, and where the disk is full gives the reserve up and calls do again,
// which must be ready for that. What is left of the room afterwards is set aside
// again.
func (r Reserve) Spend(do func() error) error {
	err := do()
	if !IsNoRoom(err) || r.Dir == "" {
		return err
	}
	size := r.size()
	if RemoveAll(r.Dir) != nil || size == 0 {
		return err
	}
	_ = syncFileSystem(filepath.Dir(r.Dir)) // some give room back only then
	err = do()
	_ = r.fill(size) // as far as it goes
	return err
}
