package packfile

import (
	"errors"
	"fmt"
)

// What can be wrong with a pack. Every error of Parse, Pack.At and Pack.Check
// is an *Error around one of these.
var (
	ErrMagic     = errors.New("not a world pack")
	ErrNewer     = errors.New("the pack's format is newer than this program")
	ErrTruncated = errors.New("the pack is cut off")
	ErrChecksum  = errors.New("the pack is damaged: checksum mismatch")
	ErrCorrupt   = errors.New("the pack is malformed")
)

// Error says where a pack is wrong.
type Error struct {
	Section string // "header", or a section's name
	Offset  int64  // in the file
	Reason  string
	Err     error // one of the sentinels
}

func (e *Error) Error() string {
	return fmt.Sprintf("%v: section %s, offset %d: %s", e.Err, e.Section, e.Offset, e.Reason)
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

func headerError(sentinel error, offset int64, format string, args ...any) error {
	return &Error{Section: "header", Offset: offset, Reason: fmt.Sprintf(format, args...), Err: sentinel}
}
