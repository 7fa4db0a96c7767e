package packfile

import (
	"bytes"
	"crypto/sha256"
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
	busy, err = whileStill(f, func(whole *io.SectionReader) error {
		data = make([]byte, whole.Size())
		_, err := io.ReadFull(whole, data)
		return err
	})
	if err != nil {
		return nil, busy, err
	}
	return data, busy, nil
}

// HashStill is ReadStill that gives the content hash alone (see Hash), and keeps
// nothing of the file in memory.
func HashStill(f *os.File) (hash [32]byte, busy bool, err error) {
	busy, err = whileStill(f, func(whole *io.SectionReader) error {
		head := make([]byte, min(headerSize, whole.Size()))
		if _, err := io.ReadFull(whole, head); err != nil {
			return err
		}
		h := sha256.New()
		h.Write(hashedHead(head))
		_, err := io.CopyBuffer(h, whole, make([]byte, pieceSize))
		hash = [32]byte(h.Sum(nil))
		return err
	})
	return hash, busy, err
}

// HasStill is ReadStill that tells whether the file's bytes are data.
func HasStill(f *os.File, data []byte) (same, busy bool, err error) {
	busy, err = whileStill(f, func(whole *io.SectionReader) error {
		same = whole.Size() == int64(len(data))
		piece := make([]byte, pieceSize)
		for at := 0; same && at < len(data); at += pieceSize {
			end := min(at+pieceSize, len(data))
			if _, err := io.ReadFull(whole, piece[:end-at]); err != nil {
				return err
			}
			same = bytes.Equal(piece[:end-at], data[at:end])
		}
		return nil
	})
	return same, busy, err
}

// whileStill has an open file read and finds out whether it stood still.
func whileStill(f *os.File, read func(*io.SectionReader) error) (busy bool, err error) {
	before, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("read pack: %w", err)
	}
	if !before.Mode().IsRegular() {
		return false, fmt.Errorf("read pack: %s is not a file", f.Name())
	}
	err = read(io.NewSectionReader(f, 0, before.Size()))
	busy = HasWriter(f)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return busy, ErrMoving
	}
	if err != nil {
		return busy, fmt.Errorf("read pack: %w", err)
	}
	after, err := f.Stat()
	if err != nil {
		return busy, fmt.Errorf("read pack: %w", err)
	}
	if before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		return busy, ErrMoving
	}
	return busy, nil
}
