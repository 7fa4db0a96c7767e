package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// Follower reads, as it grows, a log that another process may have open. It only reads. It is
// not safe for concurrent use.
type Follower struct {
	dir      string
	position uint64 // of the last entry that was returned
	segment  uint64 // the one that was read last, by what it comes after
	at       int64  // how far it was read; 0: none was
}

// Follow returns a Follower of the log in a directory, from behind a position on; from 0 on it
// begins with the oldest entry.
func Follow(dir string, position uint64) *Follower {
	return &Follower{dir: dir, position: position}
}

// Position returns that of the last entry which Next has returned.
func (f *Follower) Position() uint64 { return f.position }

// Next returns what has come since, of some size at most and at least one entry, or none where
// there is nothing. gap says that the log does not reach back to the position, or that the
// position is none of this log's: the Follower stays where it is.
func (f *Follower) Next(most int) (entries []Entry, gap bool, err error) {
	segments, err := findSegments(f.dir)
	if err != nil {
		return nil, false, err
	}
	for len(segments) > 1 && segments[1].after <= f.position {
		segments = segments[1:] // all of it was seen
	}
	if f.position != 0 && (len(segments) == 0 || segments[0].after > f.position) {
		return nil, true, nil
	}
	left := most
	for i, s := range segments {
		last, more, err := f.read(s, &left, &entries)
		if errors.Is(err, fs.ErrNotExist) {
			return entries, len(entries) == 0, nil // it has just grown old
		}
		if err != nil || !more {
			return entries, false, err
		}
		if i == len(segments)-1 && last < f.position {
			return nil, true, nil
		}
	}
	return entries, false, nil
}

// read returns what a segment has behind the position, as long as anything is left of the size,
// and the position of the last entry that stands in it. more is false where it has still more.
func (f *Follower) read(s *segment, left *int, entries *[]Entry) (last uint64, more bool, err error) {
	file, err := os.OpenFile(s.path, os.O_RDONLY|osfile.NoFollow, 0)
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	from, last := int64(headerSize), s.after
	if f.at > 0 && f.segment == s.after && f.at <= s.size {
		from, last = f.at, max(s.after, f.position)
	}
	more = true
	end, err := s.scan(file, from, s.size, func(e *Entry) bool {
		last = e.Position
		if e.Position <= f.position {
			return true
		}
		if more = *left > 0 || len(*entries) == 0; !more {
			return false
		}
		*entries = append(*entries, e.clone())
		*left -= len(e.Was) + len(e.Is)
		f.position = e.Position
		return true
	})
	if err != nil {
		return 0, false, fmt.Errorf("read history: %w", err)
	}
	f.segment, f.at = s.after, end
	return last, more, nil
}

// Latest returns the position of the last entry of the log in a directory, 0 if it has none.
// Like a [Follower] it only reads.
func Latest(dir string) (last uint64, err error) {
	segments, err := findSegments(dir)
	if err != nil || len(segments) == 0 {
		return 0, err
	}
	s := segments[len(segments)-1]
	file, err := os.OpenFile(s.path, os.O_RDONLY|osfile.NoFollow, 0)
	if err != nil {
		return 0, fmt.Errorf("read history: %w", err)
	}
	defer file.Close()
	last = s.after
	_, err = s.scan(file, headerSize, s.size, func(e *Entry) bool { last = e.Position; return true })
	return last, err
}
