//go:build unix

package plainfiles

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Package os asks for each file that it opens whether it can be waited for, in
// five system calls; of a hundred thousand small files that is most of them.

// Dir is an open directory. Its files are reached by its descriptor, without a walk to it.
type Dir struct {
	file *os.File
	fd   int // file's
}

// openDir opens the directory at a path, and follows no symlink.
func openDir(path string) (*Dir, error) { return openDirAt(unix.AT_FDCWD, path, unix.O_NOFOLLOW) }

func openDirAt(dir int, path string, flags int) (*Dir, error) {
	file, err := open(dir, path, unix.O_RDONLY|unix.O_DIRECTORY|flags)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNoDir}
	} else if err != nil {
		return nil, err
	}
	return &Dir{file, int(file.Fd())}, nil
}

// open opens a directory in d.
func (d *Dir) open(name string) (*Dir, error) { return openDirAt(d.fd, name, unix.O_NOFOLLOW) }

// again opens the directory once more.
func (d *Dir) again() (*Dir, error) { return openDirAt(d.fd, ".", 0) }

// close closes the directory.
func (d *Dir) close() { _ = d.file.Close() } // it was only read

// names returns at most n more names of what is in the directory, io.EOF after the last.
func (d *Dir) names(n int) ([]string, error) { return d.file.Readdirnames(n) }

func (d *Dir) lstat(path string) (fileattr.Stat, error) { return fileattr.LstatAt(d.fd, path) }

// createFile makes a file that must not exist, for its owner to write.
func createFile(path string) (*os.File, error) {
	return open(unix.AT_FDCWD, path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
}

// Read reads a file of the directory, and follows no symlink. size is what is known of
// it: a file that has just that is not asked for more.
func (d *Dir) Read(path string, size int64) ([]byte, error) {
	fd, err := openFD(d.fd, path, unix.O_RDONLY|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	text := make([]byte, 0, size+1)
	for {
		n, err := unix.Read(fd, text[len(text):cap(text)])
		if errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		text = text[:len(text)+n]
		if n == 0 || int64(len(text)) == size && len(text) < cap(text) {
			return text, nil
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

func open(dir int, path string, flags int) (*os.File, error) {
	fd, err := openFD(dir, path, flags)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func openFD(dir int, path string, flags int) (fd int, err error) {
	for {
		fd, err = unix.Openat(dir, path, flags|unix.O_CLOEXEC, 0o600)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, unix.EINTR) {
			return -1, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
