package backing

import (
	"os"
	"time"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/realfs"
	"github.com/worldfs/worldfs/internal/support/lockorder"
)

// Memory is a regular file in scratch that is in memory only, since it was
// created just now (see Store). What it cannot do it answers with ErrNeedsDisk.
type Memory struct {
	room    room
	created time.Time

	mu     lockorder.Mutex
	attrs  cache.Attr // but for the size; guarded by mu
	text   []byte     // guarded by mu
	linked bool       // it has a name; guarded by mu
}

// room is what texts in memory take.
type room interface {
	// grow reports whether they may take so many bytes more, and counts them.
	grow(bytes int64) bool
}

func newMemory(r room, a cache.Attr) *Memory {
	b := &Memory{room: r, created: time.Now(), linked: true, attrs: a}
	b.mu.Init(&classMem)
	return b
}

// Contents returns the attributes, but for the size, and the text, which is not to be
// changed.
func (b *Memory) Contents() (cache.Attr, []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.attrs, b.text
}

// Attr implements File.
func (b *Memory) Attr() (Attr, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.attrs
	a.Size = int64(len(b.text))
	out := entityAttr(a, b.linked)
	out.Blocks = (out.Size + BlockSize - 1) / BlockSize * (BlockSize / sectorSize)
	return out, nil
}

// SetAttr implements File.
func (b *Memory) SetAttr(c cache.AttrChange) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if (c.UID != nil || c.GID != nil) && os.Geteuid() != 0 {
		return ErrNeedsDisk // the kernel knows whom the daemon may give files to
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
func (b *Memory) touchLocked() {
	b.attrs.Mtime, b.attrs.Ctime = cache.FileTime(b.attrs.Mtime), cache.FileTime(b.attrs.Ctime)
}

// resizeLocked makes the text n bytes long, if there is room for that. The caller has
// mu.
func (b *Memory) resizeLocked(n int64) error {
	have := int64(len(b.text))
	if n > maxMemFileSize || !b.room.grow(n-have) {
		return ErrNeedsDisk
	}
	if n <= have {
		b.text = b.text[:n]
		return nil
	}
	b.text = append(b.text, make([]byte, n-have)...)
	return nil
}

// ReadAt implements File.
func (b *Memory) ReadAt(p []byte, off int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if off >= int64(len(b.text)) {
		return 0, nil
	}
	return copy(p, b.text[off:]), nil
}

// WriteAt implements File.
func (b *Memory) WriteAt(p []byte, off int64) (int, error) {
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

// Unlink notes that the file has lost its name.
func (b *Memory) Unlink() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.linked = false
	b.attrs.Ctime = cache.FileTime(b.attrs.Ctime)
}

// Sync implements File.
func (b *Memory) Sync() error { return ErrNeedsDisk }

// Allocate implements File.
func (b *Memory) Allocate(uint64, uint64, uint32) error { return ErrNeedsDisk }

// SetXattr implements File.
func (b *Memory) SetXattr(string, []byte, uint32) error { return ErrNeedsDisk }

// GetXattr implements File.
func (b *Memory) GetXattr(n string, _ []byte) (uint32, error) { return 0, realfs.NoXattr(n) }

// RemoveXattr implements File.
func (b *Memory) RemoveXattr(name string) error { return realfs.NoXattr(name) }

// ListXattr implements File.
func (b *Memory) ListXattr([]byte) (uint32, error) { return 0, nil }
