package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/storage/osfile"
)

const (
	magic      = "worldfs history\n"
	version    = 2 // what is written; entries of version 1 have no Source
	headerSize = 16 + 4 + 8 + 8
	frameSize  = 4 + 4
	suffix     = ".log"
)

var checksum = crc32.MakeTable(crc32.Castagnoli)

// errDamaged says that no entry stands where one should.
var errDamaged = errors.New("history is damaged")

// segment is one file of the log.
type segment struct {
	path  string
	after uint64    // the last position before it
	begun time.Time // when
	size  int64     // of what is good of it
	form  uint32    // the version of its entries
	held  *os.File  // lest it be lost with its name (see Log.Hold); nil: it is not, or it is written
}

// segmentName makes names that sort as positions do.
func segmentName(after uint64) string { return fmt.Sprintf("%020d%s", after, suffix) }

func (s *segment) header() []byte {
	le := binary.LittleEndian
	h := le.AppendUint32([]byte(magic), s.form)
	h = le.AppendUint64(h, s.after)
	return le.AppendUint64(h, uint64(s.begun.UnixNano()))
}

// findSegments returns the segments in a directory, in order. A file that is
// none is let alone.
func findSegments(dir string) (segments []*segment, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open history: %w", err)
	}
	for _, e := range entries { // in the order of their names
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		s, err := readSegment(filepath.Join(dir, e.Name()))
		if errors.Is(err, ErrNewer) {
			return nil, err
		}
		if err == nil && e.Name() == segmentName(s.after) {
			segments = append(segments, s)
		}
	}
	return slices.Clip(segments), nil
}

func readSegment(path string) (*segment, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|osfile.NoFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	h := make([]byte, headerSize)
	if _, err := io.ReadFull(f, h); err != nil || string(h[:16]) != magic {
		return nil, errDamaged
	}
	le := binary.LittleEndian
	form := le.Uint32(h[16:])
	switch {
	case form > version:
		return nil, ErrNewer
	case form == 0:
		return nil, errDamaged
	}
	return &segment{path: path, after: le.Uint64(h[20:]), begun: time.Unix(0, int64(le.Uint64(h[28:]))), size: info.Size(), form: form}, nil
}

// scan has the segment's entries looked at that stand in r from one offset to another,
// until more says no, and returns where the first one begins that was not: the
// end, or where the file is damaged.
func (s *segment) scan(r io.ReaderAt, from, to int64, more func(*Entry) bool) (int64, error) {
	const window = 256 << 10
	buf := make([]byte, 0, window)
	for {
		n := min(to-from, int64(cap(buf)))
		buf = buf[:n]
		if read, err := r.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return from, fmt.Errorf("read history: %w", err)
		} else if int64(read) < n {
			to = from + int64(read) // another program truncated it
			buf = buf[:read]
		}
		used, need, stopped := s.scanBuffer(buf, more)
		from += int64(used)
		switch {
		case stopped || from >= to || need == 0:
			return from, nil
		case from+int64(need) > to:
			return from, nil // cut off
		case need > cap(buf):
			buf = make([]byte, 0, need)
		}
	}
}

// scanBuffer looks at the entries in a buffer. need is how many bytes the entry
// has that is not whole in it, 0 when it is damaged.
func (s *segment) scanBuffer(b []byte, more func(*Entry) bool) (used, need int, stopped bool) {
	for {
		e, n, err := parseFrame(b[used:], s.form)
		if errors.Is(err, errDamaged) {
			return used, 0, false
		}
		if err != nil {
			return used, n, false
		}
		if !more(e) {
			return used, n, true
		}
		used += n
	}
}

// parseFrame reads the entry at the beginning of b and returns how many bytes
// it takes; io.ErrUnexpectedEOF and how many it takes if they are not all there.
func parseFrame(b []byte, form uint32) (*Entry, int, error) {
	if len(b) < frameSize {
		return nil, frameSize, io.ErrUnexpectedEOF
	}
	size := binary.LittleEndian.Uint32(b)
	if size < entryFixed || size > maxEntry {
		return nil, 0, errDamaged
	}
	n := frameSize + int(size)
	if len(b) < n {
		return nil, n, io.ErrUnexpectedEOF
	}
	payload := b[frameSize:n]
	if crc32.Checksum(payload, checksum) != binary.LittleEndian.Uint32(b[4:]) {
		return nil, 0, errDamaged
	}
	e, err := parseEntry(payload, form)
	return e, n, err
}
