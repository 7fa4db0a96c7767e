package packfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrMoving is what ReadStill gives when the file changed while it was read.
var ErrMoving = errors.New("the pack is being written")

// ReadStill reads all of an open file that others may write: whatever takes
// its name meanwhile, and with the same size and time before and after. busy
// tells whether a program has it open for writing, beside an error too.
func ReadStill(f *os.File) (data []byte, busy bool, err error) {
	before, err := f.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("read pack: %w", err)
	}
	if !before.Mode().IsRegular() {
		return nil, false, fmt.Errorf("read pack: %s is not a file", f.Name())
	}
	data = make([]byte, before.Size())
	_, err = io.ReadFull(io.NewSectionReader(f, 0, before.Size()), data)
	busy = HasWriter(f)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, busy, ErrMoving
	}
	if err != nil {
		return nil, busy, fmt.Errorf("read pack: %w", err)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, busy, fmt.Errorf("read pack: %w", err)
	}
	if before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		return nil, busy, ErrMoving
	}
	return data, busy, nil
}
