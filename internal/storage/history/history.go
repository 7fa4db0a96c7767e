// Package history keeps what was superseded: an append-only log of what
// happened to each entity, with its texts before and after, bounded in bytes
// and in age. It knows entities by their IDs only; what the texts mean is its
// callers' business.
//
// The log is a directory of segments, each a header and entries one after the
// other:
//
//	offset size
//	0      16   "worldfs history\n"
//	16     4    version, 2; segments of version 1 are read, and no more is written into them
//	20     8    the last position before this segment, 0 for none
//	28     8    when it was begun, in nanoseconds since 1970
//
//	0      4    length of the entry that follows
//	4      4    its CRC-32C
//	8      …    the entry, see Entry.appendFrame
//
// What it guarantees: positions only grow, whatever happens, and none is used
// twice. An entry that is cut off or damaged ends its segment: what stands
// before it is read, what stands behind it is not. Nothing here ever stops a
// world: a directory that is lost or damaged is begun anew.
//
// What it costs: Append is one write of what is appended, and no fsync; Sync is
// one fdatasync. Opening reads the last segment. Reading costs what is read.
package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// Limits bound a log.
type Limits struct {
	Size int64         // bytes of all segments together
	Age  time.Duration // what is older goes, a segment at a time
}

// The limits of one segment, which goes as a whole.
const (
	minSegment  = 64 << 10
	maxSegment  = 8 << 20
	segmentSpan = 24 * time.Hour
)

// ErrNewer is what reading a log of a newer format gives.
var ErrNewer = errors.New("the history was written by a newer worldfs; use that one")

// Log is a history. It is safe for concurrent use. One process at a time may
// have it open.
type Log struct {
	dir    string
	limits Limits
	now    func() time.Time

	mu       sync.Mutex
	opened   bool
	segments []*segment // in order; the last one is written
	active   *os.File   // of the last segment; nil while there is none
	last     uint64     // the last position given
	unsynced bool
	grown    chan struct{} // closed when there is more, or no more will be
	closed   bool
	holding  bool // see Hold
	lacking  bool // a segment that is held could not be put back
}

// Open returns the log in a directory, which need not be there. Nothing is read
// before it is needed.
func Open(dir string, limits Limits) *Log {
	return &Log{dir: dir, limits: limits, now: time.Now, grown: make(chan struct{})}
}

// Append adds entries, gives them their positions and returns the last one.
func (l *Log) Append(entries []Entry) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.open(); err != nil {
		return l.last, err
	}
	if l.closed {
		return l.last, os.ErrClosed
	}
	for len(entries) > 0 {
		if err := l.ready(); err != nil {
			return l.last, err
		}
		n, err := l.write(entries)
		if err != nil {
			return l.last, err
		}
		entries = entries[n:]
	}
	close(l.grown)
	l.grown = make(chan struct{})
	return l.last, nil
}

// write appends as many entries as the segment takes.
func (l *Log) write(entries []Entry) (n int, err error) {
	s := l.segments[len(l.segments)-1]
	var data []byte
	last := l.last
	for n < len(entries) && (n == 0 || s.size+int64(len(data)) < l.segmentSize()) {
		last++
		e := &entries[n]
		e.Position = last
		if int64(len(e.Was)+len(e.Is)) > l.segmentSize() {
			e.Was, e.Is, e.Cut = nil, nil, true
		}
		data = e.appendFrame(data)
		n++
	}
	if _, err := l.active.WriteAt(data, s.size); err != nil {
		return 0, errors.Join(fmt.Errorf("write history: %w", err), l.active.Truncate(s.size))
	}
	s.size += int64(len(data))
	l.last, l.unsynced = last, true
	return n, nil
}

// Sync returns when all that was appended is durable.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.unsynced {
		return nil
	}
	if err := l.active.Sync(); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	l.unsynced = false
	return nil
}

// Last returns the position of the last entry; a reader from there gets what
// is appended from now on.
func (l *Log) Last() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.open()
	return l.last, err
}

// Size returns how many bytes the log has.
func (l *Log) Size() (size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open() != nil {
		return 0
	}
	for _, s := range l.segments {
		size += s.size
	}
	return size
}

// Close ends the log, and with it the readers that wait for more. What is in it can
// still be read.
func (l *Log) Close() error {
	err := l.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return err
	}
	if l.lacking {
		err = errors.Join(err, l.rescue())
	}
	l.closed = true
	close(l.grown)
	if l.active != nil {
		err = errors.Join(err, l.active.Close())
	}
	for _, s := range l.segments {
		s.drop()
	}
	return err
}

// open reads what there is. The caller has mu.
func (l *Log) open() error {
	if l.opened {
		return nil
	}
	if l.closed {
		return os.ErrClosed
	}
	segments, err := findSegments(l.dir)
	if err != nil {
		return err
	}
	l.segments = segments
	if len(segments) > 0 {
		if err := l.resume(segments[len(segments)-1]); err != nil {
			return err
		}
	}
	// What a power cut took off the end may have been read before: its
	// positions are not given again.
	l.last = max(l.last, uint64(l.now().UnixMicro()))
	l.opened = true
	return nil
}

// resume goes on with a segment, without what a crash left at its end. One that cannot be
// written is read; what is appended begins another.
func (l *Log) resume(s *segment) (err error) {
	writes, flags := osfile.CheckWritable(s.path) == nil, os.O_RDWR
	if !writes {
		flags = os.O_RDONLY
	}
	f, err := os.OpenFile(s.path, flags|osfile.NoFollow, 0)
	if err != nil {
		return fmt.Errorf("open history: %w", err)
	}
	l.last = s.after
	good, err := s.scan(f, headerSize, s.size, func(e *Entry) bool {
		l.last = e.Position
		return true
	})
	if err == nil && good < s.size && writes {
		err = f.Truncate(good)
	}
	if err != nil {
		f.Close()
		return fmt.Errorf("open history: %w", err)
	}
	s.size = good
	if !writes {
		return f.Close()
	}
	l.active = f
	return nil
}

// ready makes sure that there is a segment to write to. The caller has mu.
func (l *Log) ready() error {
	if l.active == nil {
		return l.begin(&segment{after: l.last, begun: l.now(), form: version})
	}
	s := l.segments[len(l.segments)-1]
	if !osfile.IsLinked(l.active) || l.lacking {
		if err := l.rescue(); !osfile.IsLinked(l.active) {
			return err
		}
		s = l.segments[len(l.segments)-1]
	}
	if s.form == version && s.size < l.segmentSize() && l.now().Sub(s.begun) < segmentSpan {
		return nil
	}
	return l.begin(&segment{after: l.last, begun: l.now(), form: version})
}

// begin begins a new segment and lets go of what is too much or too old.
func (l *Log) begin(s *segment) error {
	f, err := l.create(s, nil)
	if err != nil {
		return err
	}
	l.retire()
	l.active = f
	l.segments = append(l.segments, s)
	l.prune()
	return nil
}

// create makes a segment's file, with these entries in it.
func (l *Log) create(s *segment, entries []byte) (*os.File, error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("write history: %w", err)
	}
	s.path = filepath.Join(l.dir, segmentName(s.after))
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC|osfile.NoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write history: %w", err)
	}
	n, err := f.Write(append(s.header(), entries...))
	if err != nil {
		f.Close()
		os.Remove(s.path)
		return nil, fmt.Errorf("write history: %w", err)
	}
	s.size = int64(n)
	return f, nil
}

// retire ends the writing of the last segment.
func (l *Log) retire() {
	if l.active == nil {
		return
	}
	if l.unsynced {
		_ = l.active.Sync() // no later Sync reaches it; what fails here would fail there
	}
	if l.holding {
		l.segments[len(l.segments)-1].held = l.active
		return
	}
	l.active.Close()
}

func (l *Log) segmentSize() int64 {
	return min(max(l.limits.Size/16, minSegment), maxSegment)
}

// prune removes segments that are too many or too old, never the one that is
// written.
func (l *Log) prune() {
	var size int64
	for _, s := range l.segments {
		size += s.size
	}
	for len(l.segments) > 1 {
		// All of a segment is older than the beginning of the next.
		old := l.now().Sub(l.segments[1].begun) > l.limits.Age
		if size <= l.limits.Size && !old {
			return
		}
		_ = os.Remove(l.segments[0].path) // what cannot be removed is found again when the log is opened
		l.segments[0].drop()
		size -= l.segments[0].size
		l.segments = l.segments[1:]
	}
}
