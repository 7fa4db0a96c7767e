package content

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/worldfs/worldfs/interchange"
)

// imported is what is to be imported.
type imported struct {
	name string
	all  *os.File // what the standard input had; nil: it is the file of that name
}

// openImport readies a file, the standard input for "-". That is read to its end before the world
// is opened: the program that writes it may wait for the world itself, as export does.
func openImport(file string) (imported, error) {
	if file != "-" {
		return imported{name: file}, nil
	}
	all, err := os.CreateTemp("", "worldfs-import-")
	if err != nil {
		return imported{}, fmt.Errorf("read standard input: %w", err)
	}
	in := imported{name: "standard input", all: all}
	if _, err := io.Copy(all, os.Stdin); err != nil {
		return imported{}, errors.Join(fmt.Errorf("read standard input: %w", err), in.Close())
	}
	return in, nil
}

// open returns what is to be read, from its beginning each time.
func (i imported) open() (io.ReadCloser, error) {
	if i.all == nil {
		return interchange.Open(i.name)
	}
	_, err := i.all.Seek(0, io.SeekStart)
	return io.NopCloser(i.all), err
}

// Close removes what was kept of the standard input.
func (i imported) Close() error {
	if i.all == nil {
		return nil
	}
	return errors.Join(i.all.Close(), os.Remove(i.all.Name()))
}
