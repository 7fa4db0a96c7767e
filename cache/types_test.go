package cache_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/typefile"
)

// unheard is told of changes and does nothing about them.
type unheard struct{}

func (unheard) Changed(entity.ID) {}
func (unheard) Created(entity.ID) {}
func (unheard) Removed(entity.ID) {}

// While somebody writes types/, as a checkout does, the last good types stay in
// force under a mount.
func TestTypesThatAreBeingWrittenAreWaitedFor(t *testing.T) {
	b := newBench(t, 3)
	b.w.Watch(unheard{})
	b.w.SetTypesQuiet(time.Hour)
	path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
	other := filepath.Join(b.dir.TypesPath(), typefile.FileName("Other"))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(other, bytes.ReplaceAll(whole, []byte("Lamp"), []byte("Other")), 0o644))
	require.NoError(t, os.Remove(path)) // and is about to be written
	b.write(2, lampText(2, 20))
	require.NoError(t, cache.CheckpointNow(b.w))
	require.Equal(t, 20, b.judged(2))
	require.NotNil(t, b.w.Types().Get("Lamp"))
	require.Nil(t, b.w.Types().Get("Other"))

	b.w.SetTypesQuiet(0)
	require.Eventually(t, func() bool { return b.w.Types().Get("Other") != nil }, time.Minute, 5*time.Millisecond,
		"they are read without anybody asking")
	require.Equal(t, []string{"1 type-unknown", "2 type-unknown", "3 type-unknown"}, b.codes())
	require.Equal(t, lampText(2, 20), b.text(2))
	require.NoError(t, os.WriteFile(path, whole, 0o644))
	require.NoError(t, b.w.Sync())
	require.Empty(t, b.codes())
	require.Equal(t, 20, b.judged(2))
}

// judged returns the watts of an entity as the world has them.
func (b *bench) judged(id entity.ID) int {
	v, err := b.w.View()
	require.NoError(b, err)
	e, ok := v.Get(id)
	require.True(b, ok)
	return int(e.Value("watts").Uint())
}
