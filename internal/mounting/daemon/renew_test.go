package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

// What the renewer cannot put back, as on a full disk, it puts back when it looks
// again: that the lock is its own already is in nobody's way.
func TestTheRenewerTriesAgain(t *testing.T) {
	dir := plainWorld(t)
	unlock, err := dir.Lock()
	require.NoError(t, err)
	full := errors.New("no space left on device")
	var room atomic.Bool
	world, err := cache.Open(dir, cache.Options{Disk: &disk.Disk{Fault: func(step string) error {
		if step == "fsync state" && !room.Load() {
			return full
		}
		return nil
	}}})
	require.NoError(t, err)
	d := &daemon{service: service{dir: dir, world: world}, unlock: unlock, done: make(chan struct{}), log: slog.New(slog.DiscardHandler)}
	d.record.Pid, d.record.Socket = os.Getpid(), filepath.Join(t.TempDir(), "world.sock") // a copy of the record lies beside that
	require.NoError(t, writeRecord(dir, d.record))
	k := renewer{d: d}
	require.NoError(t, k.remember())
	require.NoError(t, os.RemoveAll(dir.StatePath()))
	for range 2 {
		require.ErrorIs(t, k.look(), full)
	}
	room.Store(true)
	require.NoError(t, k.look())
	require.True(t, k.whole())
	require.NoError(t, world.Close())
	d.unlock()
}
