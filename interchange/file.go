package interchange

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// Open opens a file for Read: packed with gzip if its name ends in .gz, the
// standard input if it is "-".
func Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 64<<10))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open %s: %w", name, gzipProblem(err))
	}
	return &unpacker{z: z, f: f}, nil
}

// unpacker reads a packed file.
type unpacker struct {
	z *gzip.Reader
	f *os.File
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && err != io.EOF {
		err = gzipProblem(err)
	}
	return n, err
}

// Close closes the file. The gzip reader holds nothing, and what it had to say
// Read has said.
func (u *unpacker) Close() error { return u.f.Close() }

// gzipProblem says in people's words what is wrong with packed data.
func gzipProblem(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the gzip file is cut off")
	case errors.Is(err, gzip.ErrHeader):
		return errors.New("the name ends in .gz, but the file is not packed with gzip")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("the gzip file is damaged: its checksum is wrong")
	}
	return fmt.Errorf("the gzip file is damaged: %w", err)
}

// Output is a file that is being written. Until Commit there is nothing under
// its name, or what was there before.
type Output struct {
	name string   // "" for one that is written in place
	f    *os.File // nil once closed
	z    *gzip.Writer
}

// Create begins a file for Write: packed with gzip if its name ends in .gz, the
// standard output if it is "-". What is no regular file, such as a pipe, is
// written in place.
func Create(name string) (*Output, error) {
	if name == "-" {
		return &Output{f: os.Stdout}, nil
	}
	o := &Output{}
	if err := o.open(name); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		o.z = gzip.NewWriter(o.f)
	}
	return o, nil
}

func (o *Output) open(name string) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := os.FileMode(0o666)
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return fmt.Errorf("create %s: it is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		o.f, err = os.OpenFile(name, os.O_WRONLY, 0)
		return err
	case err == nil:
		mode = info.Mode().Perm()
	}
	o.name = name
	o.f, err = os.OpenFile(disk.Beside(name, "tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	return err
}

func (o *Output) Write(p []byte) (int, error) {
	if o.z != nil {
		return o.z.Write(p)
	}
	return o.f.Write(p)
}

// Commit ends the file and gives it its name.
func (o *Output) Commit() error {
	if o.z != nil {
		if err := o.z.Close(); err != nil {
			return fmt.Errorf("write %s: %w", o.f.Name(), err)
		}
	}
	if o.name == "" {
		return o.Close()
	}
	f := o.f
	o.f = nil
	err := errors.Join(f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), o.name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
		return fmt.Errorf("write %s: %w", o.name, err)
	}
	return nil
}

// Close gives the file up unless it has been committed.
func (o *Output) Close() error {
	if o.f == nil || o.f == os.Stdout {
		return nil
	}
	f := o.f
	o.f = nil
	if o.name != "" {
		defer os.Remove(f.Name())
	}
	return f.Close()
}
