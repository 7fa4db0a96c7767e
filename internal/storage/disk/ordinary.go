package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotOrdinary says that there is something else where a file or a directory
// belongs: a symlink, a pipe, a device. A repository can bring a symlink to
// anywhere, so none is followed.
var ErrNotOrdinary = errors.New("symlinks are not followed here, and it is nothing else that could be used; put an ordinary one in its place")

// CheckDirectory returns an ErrNotOrdinary where there is something at path that
// is no directory, and an fs.ErrNotExist where there is nothing.
func CheckDirectory(path string) error {
	return check(path, "directory", fs.FileMode.IsDir)
}

// CheckFile does the same for a file.
func CheckFile(path string) error {
	return check(path, "file", fs.FileMode.IsRegular)
}

func check(path, what string, is func(fs.FileMode) bool) error {
	info, err := os.Lstat(path)
	if err == nil && !is(info.Mode()) {
		err = fmt.Errorf("%s is no ordinary %s: %w", path, what, ErrNotOrdinary)
	}
	return err
}

// ReadFile reads an ordinary file. Of a larger one than limit it reads a byte
// more than that.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// SameText reports whether both are ordinary files with the same bytes, at most limit of them.
// Where that cannot be found out they are not.
func SameText(a, b string, limit int64) bool {
	var texts [2][]byte
	var size int64
	for i, path := range []string{a, b} {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > limit || i > 0 && info.Size() != size {
			return false
		}
		size = info.Size()
	}
	for i, path := range []string{a, b} {
		var err error
		if texts[i], err = ReadFile(path, limit); err != nil || int64(len(texts[i])) > limit {
			return false
		}
	}
	return bytes.Equal(texts[0], texts[1])
}

// OpenFile is os.OpenFile for an ordinary file: it follows no symlink and waits
// for no pipe.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if err := CheckFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, flag|ordinaryOnly, perm)
}
