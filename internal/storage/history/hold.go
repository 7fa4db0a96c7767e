package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// Hold keeps every segment open from now on, one or two dozen descriptors, so
// that none is lost when all of them are removed, as by rm -rf: Renew puts
// them back, and so does what is appended next.
func (l *Log) Hold() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.open(); err != nil {
		return err
	}
	if l.closed {
		return os.ErrClosed
	}
	l.holding = true
	if len(l.segments) == 0 {
		return nil
	}
	var errs []error
	for _, s := range l.segments[:len(l.segments)-1] { // the last one is open to be written
		errs = append(errs, s.hold())
	}
	return errors.Join(errs...)
}

// Renew puts back, durably, what was removed of the log while it was held. What
// cannot be put back is still held, and put back when something is appended, or
// at the end.
func (l *Log) Renew() error {
	l.mu.Lock()
	if l.closed || l.active == nil || osfile.IsLinked(l.active) && !l.lacking {
		l.mu.Unlock()
		return nil // there is nothing of it, or all
	}
	err := l.rescue()
	l.mu.Unlock()
	return errors.Join(err, l.Sync())
}

// rescue writes the segment anew whose name was taken away under us, and those
// before it, if they are held. The caller has mu.
func (l *Log) rescue() error {
	last := len(l.segments) - 1
	if !osfile.IsLinked(l.active) {
		again := *l.segments[last]
		f, err := l.writeAgain(&again, l.active)
		if err != nil {
			return err
		}
		l.active.Close()
		l.active, l.unsynced = f, true
		l.segments[last] = &again
	}
	var errs []error
	kept := l.segments[:0:0]
	for _, s := range l.segments[:last] {
		there, err := l.putBack(s)
		if there || err != nil {
			kept = append(kept, s)
		}
		errs = append(errs, err)
	}
	l.segments = append(kept, l.segments[last])
	err := errors.Join(errs...)
	l.lacking = err != nil
	return err
}

// putBack writes a segment to where it was, if its name is gone, and reports
// whether it is there. What is not, and is not held, is lost.
func (l *Log) putBack(s *segment) (there bool, err error) {
	if _, err := os.Lstat(s.path); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	if s.held == nil {
		return false, nil
	}
	f, err := l.writeAgain(s, s.held)
	if err != nil {
		return false, err
	}
	s.drop()
	s.held = f
	return true, f.Sync()
}

// writeAgain makes a segment's file with what an open one has.
func (l *Log) writeAgain(s *segment, from *os.File) (*os.File, error) {
	entries := make([]byte, s.size-headerSize)
	if _, err := from.ReadAt(entries, headerSize); err != nil && len(entries) > 0 {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return l.create(s, entries)
}

func (s *segment) hold() (err error) {
	if s.held == nil {
		s.held, err = os.OpenFile(s.path, os.O_RDONLY|osfile.NoFollow, 0)
	}
	return err
}

func (s *segment) drop() {
	if s.held != nil {
		s.held.Close()
		s.held = nil
	}
}
