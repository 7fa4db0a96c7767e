package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// Since has the entries of the log in a directory looked at that came after a position, and
// returns the position of the last one. Unlike a [Log] it only reads, and another process may
// have the log open: it sees what that has written by now.
func Since(dir string, after uint64, look func(*Entry)) (last uint64, err error) {
	segments, err := findSegments(dir)
	if err != nil {
		return after, err
	}
	last = after
	for i, s := range segments {
		if i+1 < len(segments) && segments[i+1].after <= after {
			continue // all of it was seen
		}
		f, err := os.OpenFile(s.path, os.O_RDONLY|osfile.NoFollow, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it grew old
		}
		if err != nil {
			return last, fmt.Errorf("read history: %w", err)
		}
		_, err = s.scan(f, headerSize, s.size, func(e *Entry) bool {
			if e.Position > after {
				look(e)
				last = max(last, e.Position)
			}
			return true
		})
		f.Close()
		if err != nil {
			return last, err
		}
	}
	return last, nil
}
