package backing_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/backing"
	"github.com/worldfs/worldfs/internal/mounting/place"
)

// rig is a store whose nodes are their names.
type rig struct {
	store *backing.Store[string]
	dir   place.Dir

	mu      sync.Mutex
	files   map[string]*backing.Memory
	flushed []string
	fail    error
}

func newRig(t *testing.T) *rig {
	r := &rig{files: make(map[string]*backing.Memory)}
	r.store = backing.NewStore(r.flush, slog.New(slog.DiscardHandler))
	t.Cleanup(r.store.Close)
	return r
}

func (r *rig) flush(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return r.fail
	}
	r.flushed = append(r.flushed, name)
	r.store.DropLocked(name, r.files[name], r.dir.Named(name))
	return nil
}

func (r *rig) setFail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

func (r *rig) wereFlushed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flushed
}

func (r *rig) make(t *testing.T, name string) *backing.Memory {
	t.Helper()
	b := r.store.NewFile(cache.Attr{Ino: 7, Mode: 0o644})
	r.mu.Lock()
	r.files[name] = b
	r.mu.Unlock()
	require.True(t, r.store.AddLocked(name, b, r.dir.Named(name)))
	return b
}

func TestAFileInMemoryLooksAsIfItWereOnTheDisk(t *testing.T) {
	r := newRig(t)
	var f backing.File = r.make(t, "a")
	n, err := f.WriteAt([]byte("text"), 5000)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	a, err := f.Attr()
	require.NoError(t, err)
	require.Equal(t, uint64(5004), a.Size)
	require.Equal(t, uint64(16), a.Blocks)
	require.Equal(t, uint32(unix.S_IFREG|0o644), a.Mode)
	require.Equal(t, uint32(1), a.Nlink)
	p := make([]byte, 10)
	n, err = f.ReadAt(p, 4999)
	require.NoError(t, err)
	require.Equal(t, "\x00text", string(p[:n]))

	mode := uint32(unix.S_ISUID | 0o755)
	require.NoError(t, f.SetAttr(cache.AttrChange{Mode: &mode}))
	require.NoError(t, backing.DropSetID(f))
	a, err = f.Attr()
	require.NoError(t, err)
	require.Equal(t, uint32(unix.S_IFREG|0o755), a.Mode)
}

func TestWhatAFileInMemoryCannotDoNeedsTheDisk(t *testing.T) {
	r := newRig(t)
	f := r.make(t, "a")
	require.ErrorIs(t, f.Sync(), backing.ErrNeedsDisk)
	require.ErrorIs(t, f.Allocate(0, 1, 0), backing.ErrNeedsDisk)
	_, err := f.WriteAt([]byte("x"), 1<<20)
	require.ErrorIs(t, err, backing.ErrNeedsDisk, "it is too large")
	_, text := f.Contents()
	require.Empty(t, text)
}

func TestAFileIsFlushedOnceItIsOld(t *testing.T) {
	r := newRig(t)
	r.store.SetFlushDelay(20 * time.Millisecond)
	r.make(t, "a")
	require.Equal(t, "a", r.store.Lookup(r.dir.Named("a")))
	require.Eventually(t, func() bool { return len(r.wereFlushed()) == 1 }, 10*time.Second, time.Millisecond)
	require.Empty(t, r.store.Lookup(r.dir.Named("a")))
}

func TestAFlushThatFailsIsTriedAgain(t *testing.T) {
	r := newRig(t)
	r.setFail(errors.New("the disk is full"))
	r.make(t, "a")
	require.EqualError(t, r.store.FlushAll(), "the disk is full")
	require.Error(t, r.store.FlushName(r.dir.Named("a")))
	require.NoError(t, r.store.FlushName(r.dir.Named("b")), "there is none")
	r.setFail(nil)
	require.NoError(t, r.store.FlushAll())
	require.Equal(t, []string{"a"}, r.wereFlushed())
}

func TestAClosedStoreHasFlushedAllAndTakesNoMore(t *testing.T) {
	r := newRig(t)
	r.make(t, "a")
	r.store.Close()
	require.Equal(t, []string{"a"}, r.wereFlushed())
	require.False(t, r.store.AddLocked("b", r.store.NewFile(cache.Attr{}), r.dir.Named("b")))
}
