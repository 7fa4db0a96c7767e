package fsnode

import (
	"errors"
	"os"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// memBacking is a regular file in scratch that is in memory only, since it was
// created just now (see memFiles). What it cannot do it answers with errNeedsDisk.
type memBacking struct {
	file    *File
	created time.Time

	mu     lockorder.Mutex
	attrs  cache.Attr // but for the size; guarded by mu
	text   []byte     // guarded by mu
	linked bool       // it has a name; guarded by mu
}

// errNeedsDisk says that a file has to be flushed first.
var errNeedsDisk = errors.New("a file in memory has to be on the disk for that")

func (b *memBacking) attr(out *fuse.Attr) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.attrs
	a.Size = int64(len(b.text))
	entityAttr(a, b.linked, out)
	out.Blocks = (out.Size + blockSize - 1) / blockSize * (blockSize / sectorSize)
	return nil
}

func (b *memBacking) setAttr(in *fuse.SetAttrIn) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := attrChange(in)
	if (c.UID != nil || c.GID != nil) && os.Geteuid() != 0 {
		return errNeedsDisk // the kernel knows whom the daemon may give files to
	}
	if c.Size != nil {
		if err := b.resizeLocked(*c.Size); err != nil {
			return err
		}
		b.touchLocked()
	}
	a := &b.attrs
	setIf(&a.Mode, c.Mode)
	setIf(&a.UID, c.UID)
	setIf(&a.GID, c.GID)
	setIf(&a.Mtime, c.Mtime)
	setIf(&a.Atime, c.Atime)
	a.Ctime = cache.FileTime(a.Ctime)
	return nil
}

func setIf[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// touchLocked sets the times as a change of the bytes does. The caller has mu.
func (b *memBacking) touchLocked() {
	b.attrs.Mtime, b.attrs.Ctime = cache.FileTime(b.attrs.Mtime), cache.FileTime(b.attrs.Ctime)
}

// resizeLocked makes the text n bytes long, if there is room for that. The caller has
// mu.
func (b *memBacking) resizeLocked(n int64) error {
	have := int64(len(b.text))
	if n > maxMemFileSize || !b.file.fsys.mem.grow(n-have) {
		return errNeedsDisk
	}
	if n <= have {
		b.text = b.text[:n]
		return nil
	}
	b.text = append(b.text, make([]byte, n-have)...)
	return nil
}

func (b *memBacking) readAt(p []byte, off int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if off >= int64(len(b.text)) {
		return 0, nil
	}
	return copy(p, b.text[off:]), nil
}

func (b *memBacking) writeAt(p []byte, off int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if end := off + int64(len(p)); end > int64(len(b.text)) {
		if err := b.resizeLocked(end); err != nil {
			return 0, err
		}
	}
	copy(b.text[off:], p)
	b.touchLocked()
	return len(p), nil
}

// unlink notes that the file has lost its name.
func (b *memBacking) unlink() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.linked = false
	b.attrs.Ctime = cache.FileTime(b.attrs.Ctime)
}

func (b *memBacking) sync() error                                 { return errNeedsDisk }
func (b *memBacking) allocate(uint64, uint64, uint32) error       { return errNeedsDisk }
func (b *memBacking) setXattr(string, []byte, uint32) error       { return errNeedsDisk }
func (b *memBacking) getXattr(n string, _ []byte) (uint32, error) { return 0, realfs.NoXattr(n) }
func (b *memBacking) removeXattr(name string) error               { return realfs.NoXattr(name) }
func (b *memBacking) listXattr([]byte) (uint32, error)            { return 0, nil }
