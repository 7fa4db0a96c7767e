package backing

import (
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/place"
)

// ReadOnly is a file that can be read but not changed: the mount's own
// state, shown in the cover shape.
type ReadOnly struct{ *Real }

// NewReadOnly returns what stands behind a file that lies at a location.
func NewReadOnly(t *place.Tree, at *place.Location) ReadOnly {
	return ReadOnly{NewReal(t, at)}
}

// SetAttr implements File.
func (ReadOnly) SetAttr(cache.AttrChange) error { return unix.EPERM }

// WriteAt implements File.
func (ReadOnly) WriteAt([]byte, int64) (int, error) { return 0, unix.EPERM }

// Allocate implements File.
func (ReadOnly) Allocate(uint64, uint64, uint32) error { return unix.EPERM }

// SetXattr implements File.
func (ReadOnly) SetXattr(string, []byte, uint32) error { return unix.EPERM }

// RemoveXattr implements File.
func (ReadOnly) RemoveXattr(string) error { return unix.EPERM }
