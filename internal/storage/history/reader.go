package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// Reader reads a log on from a position. It holds nothing: a reader that is
// slow, or gone, costs the writer and other readers nothing.
type Reader struct {
	log      *Log
	position uint64 // of the last entry read
	segment  uint64 // the segment that at is an offset in, by what it comes after
	at       int64  // 0: not known
}

// From returns a reader of what came after a position.
func (l *Log) From(position uint64) *Reader { return &Reader{log: l, position: position} }

// Position returns the position of the last entry read, or where the reader
// began.
func (r *Reader) Position() uint64 { return r.position }

// Next returns the entries that come next, hardly more than most bytes of them;
// none at the end. gap says that between the reader's position and these, among these
// or right behind them, there were others, which the log does not have any more, or that the position
// is none of the log's.
func (r *Reader) Next(most int) (entries []Entry, gap bool, err error) {
	taken := 0
	gap, err = r.each(func(e *Entry) bool {
		if taken > most {
			return false
		}
		taken += entryFixed + len(e.Note) + len(e.Was) + len(e.Is)
		entries = append(entries, e.clone())
		return true
	})
	return entries, gap, err
}

// Of returns the entries about an entity, the oldest first.
func (l *Log) Of(id entity.ID) (entries []Entry, err error) {
	_, err = l.From(0).each(func(e *Entry) bool {
		if e.ID == id {
			entries = append(entries, e.clone())
		}
		return true
	})
	return entries, err
}

// Each has all entries looked at, the oldest first, until more says no. What it is given
// is good until it returns.
func (l *Log) Each(more func(*Entry) bool) error {
	_, err := l.From(0).each(more)
	return err
}

// Latest returns the last entry about each of some entities, of those that the
// last segments have.
func (l *Log) Latest(ids map[entity.ID]bool) (map[entity.ID]Entry, error) {
	const segments = 4
	l.mu.Lock()
	err, from := l.open(), uint64(0)
	if n := len(l.segments); n > segments {
		from = l.segments[n-segments].after
	}
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	latest := make(map[entity.ID]Entry)
	_, err = l.From(from).each(func(e *Entry) bool {
		if ids[e.ID] {
			latest[e.ID] = e.clone()
		}
		return true
	})
	return latest, err
}

// Wait returns when there is something after a position, with nil, or the
// context's error, or os.ErrClosed once nothing more will come.
func (l *Log) Wait(ctx context.Context, position uint64) error {
	for {
		l.mu.Lock()
		err, there, closed, grown := l.open(), l.last > position, l.closed, l.grown
		l.mu.Unlock()
		if err != nil || there {
			return err
		}
		if closed {
			return os.ErrClosed
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// each has the entries looked at that come next, until more says no.
func (r *Reader) each(more func(*Entry) bool) (gap bool, err error) {
	for {
		s, f, skipped, err := r.find()
		gap = gap || skipped
		if err != nil || s == nil {
			return gap, err
		}
		stopped, err := r.read(s, f, more)
		if errors.Is(err, fs.ErrNotExist) {
			r.log.forget(s)
			continue
		}
		if errors.Is(err, os.ErrClosed) {
			continue // it has just been ended: it is there by its name
		}
		if err != nil || stopped || !r.step(s) {
			return gap, err
		}
	}
}

// find returns a copy of the segment that the next entry is in, or nil; of one
// that is held, or written, also the file.
func (r *Reader) find() (s *segment, f *os.File, gap bool, err error) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.open(); err != nil {
		return nil, nil, false, err
	}
	if r.position > l.last {
		r.position = l.last
		return nil, nil, true, nil
	}
	if len(l.segments) == 0 {
		r.position = l.last
		return nil, nil, false, nil
	}
	i := 0
	for i+1 < len(l.segments) && l.segments[i+1].after <= r.position {
		i++
	}
	here := *l.segments[i]
	if f = here.held; i == len(l.segments)-1 && !l.closed {
		f = l.active
	}
	if here.after > r.position {
		// From the very beginning nothing can be missing: no reader has seen it.
		gap, r.position = r.position != 0, here.after
	}
	return &here, f, gap, nil
}

// read has the entries of a segment looked at that come after the position.
func (r *Reader) read(s *segment, f *os.File, more func(*Entry) bool) (stopped bool, err error) {
	if f == nil {
		if f, err = os.OpenFile(s.path, os.O_RDONLY|osfile.NoFollow, 0); err != nil {
			return false, err
		}
		defer f.Close()
	}
	from := int64(headerSize)
	if r.at > 0 && r.segment == s.after {
		from = r.at
	}
	end, err := s.scan(f, from, s.size, func(e *Entry) bool {
		if e.Position <= r.position {
			return true
		}
		if !more(e) {
			stopped = true
			return false
		}
		r.position = e.Position
		return true
	})
	if err != nil {
		return false, fmt.Errorf("read history: %w", err)
	}
	r.segment, r.at = s.after, end
	return stopped, nil
}

// step moves on behind a segment that has nothing more, and reports whether
// there is another.
func (r *Reader) step(s *segment) bool {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	there := false
	for _, o := range l.segments {
		if o.after == s.after && o.size > s.size {
			return true // it has grown meanwhile
		}
		there = there || o.after == s.after
		if o.after > s.after {
			if there { // else it may have grown before it was let go of, and find says that there is a gap
				r.position = max(r.position, o.after)
			}
			return true
		}
	}
	r.position = max(r.position, l.last) // there are positions without an entry
	return false
}

// forget drops a segment whose file has gone, unless it is the one that is
// written.
func (l *Log) forget(s *segment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.segments = slices.DeleteFunc(l.segments, func(o *segment) bool {
		return o.after == s.after && o != l.segments[len(l.segments)-1]
	})
}

func (e *Entry) clone() Entry {
	c := *e
	c.Was, c.Is = slices.Clone(e.Was), slices.Clone(e.Is)
	return c
}
