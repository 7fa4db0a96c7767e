package cache

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Package os asks for each file that it opens whether it can be waited for, in
// five system calls; of a hundred thousand small files that is most of them.

// createFile makes a file that must not exist, for its owner to write.
func createFile(path string) (*os.File, error) {
	return open(unix.AT_FDCWD, path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
}

// readAt reads a file of the directory that is open as dir, and follows no symlink.
// size is a guess.
func readAt(dir int, path string, size int64) ([]byte, error) {
	f, err := open(dir, path, unix.O_RDONLY|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, 0, size+1)
	for {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		} else if err != nil {
			return nil, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

func open(dir int, path string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Openat(dir, path, flags|unix.O_CLOEXEC, 0o600)
		if err == nil {
			return os.NewFile(uintptr(fd), path), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
