package plainfiles

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Dir is an open directory.
type Dir struct {
	path string
	file *os.File // nil where only its files are looked at
}

// openDir opens the directory at a path, and follows no symlink.
func openDir(path string) (*Dir, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNoDir}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Dir{path, file}, nil
}

// open opens a directory in d.
func (d *Dir) open(name string) (*Dir, error) { return openDir(filepath.Join(d.path, name)) }

// again returns the directory once more, for its files to be looked at.
func (d *Dir) again() (*Dir, error) { return &Dir{path: d.path}, nil }

// close closes the directory.
func (d *Dir) close() {
	if d.file != nil {
		_ = d.file.Close() // it was only read
	}
}

// names returns at most n more names of what is in the directory, io.EOF after the last.
func (d *Dir) names(n int) ([]string, error) { return d.file.Readdirnames(n) }

func (d *Dir) lstat(path string) (fileattr.Stat, error) {
	return fileattr.Lstat(filepath.Join(d.path, path))
}

// Read reads a file of the directory, and follows no symlink. size is what is known of it.
func (d *Dir) Read(path string, size int64) ([]byte, error) {
	at := filepath.Join(d.path, path)
	if st, err := fileattr.Lstat(at); err != nil {
		return nil, err
	} else if !st.Plain {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNoFile}
	}
	file, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, max(size, fileattr.MaxSize)+1))
}

// createFile makes a file that must not exist, for its owner to write.
func createFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}
