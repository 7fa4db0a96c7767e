package fsnode

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
)

// entityBacking is an entity's text. It is one word, which takes no memory of its
// own as a backing.
type entityBacking struct{ file *cache.File }

func (b entityBacking) attr(out *fuse.Attr) error {
	a, err := b.file.Attr()
	if err != nil {
		return err
	}
	entityAttr(a, b.file.ID() != 0, out)
	return nil
}

func (b entityBacking) setAttr(in *fuse.SetAttrIn) error { return b.file.SetAttr(attrChange(in)) }

func (b entityBacking) readAt(p []byte, off int64) (int, error)  { return b.file.ReadAt(p, off) }
func (b entityBacking) writeAt(p []byte, off int64) (int, error) { return b.file.WriteAt(p, off) }
func (b entityBacking) sync() error                              { return b.file.Sync() }

// allocate is refused: an entity has no blocks.
func (b entityBacking) allocate(uint64, uint64, uint32) error { return unix.EOPNOTSUPP }
