package backing

import (
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
)

// Entity is an entity's text. It is one word, which takes no memory of its
// own as a backing.
type Entity struct{ File *cache.File }

// Attr implements File.
func (b Entity) Attr() (Attr, error) {
	a, err := b.File.Attr()
	if err != nil {
		return Attr{}, err
	}
	return entityAttr(a, b.File.ID() != 0), nil
}

// SetAttr implements File.
func (b Entity) SetAttr(c cache.AttrChange) error { return b.File.SetAttr(c) }

// ReadAt implements File.
func (b Entity) ReadAt(p []byte, off int64) (int, error) { return b.File.ReadAt(p, off) }

// WriteAt implements File.
func (b Entity) WriteAt(p []byte, off int64) (int, error) { return b.File.WriteAt(p, off) }

// Sync implements File.
func (b Entity) Sync() error { return b.File.Sync() }

// Allocate is refused: an entity has no blocks.
func (b Entity) Allocate(uint64, uint64, uint32) error { return unix.EOPNOTSUPP }
