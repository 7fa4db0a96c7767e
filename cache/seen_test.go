package cache_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/packfile"
)

// eventuallySeen closes and opens the world until that is done knowing that
// nothing has changed.
func (b *bench) eventuallySeen() {
	b.Helper()
	b.eventually("it is noted how the world was left", func() bool {
		b.reopen()
		return b.w.SeenBefore()
	})
}

// overwrite changes a file to other bytes of the same size, with the times that
// it had.
func (b *bench) overwrite(path string, data []byte) {
	info, err := os.Stat(path)
	require.NoError(b, err)
	require.EqualValues(b, info.Size(), len(data))
	require.NoError(b, os.WriteFile(path, data, 0o644))
	require.NoError(b, os.Chtimes(path, info.ModTime(), info.ModTime()))
}

func TestAWorldIsOpenedAsItWasLeft(t *testing.T) {
	b := newBench(t, 3)
	b.eventuallySeen()
	require.Equal(t, lampText(2, 2), b.text(2))
	require.Empty(t, b.codes())
	b.write(2, lampText(2, 20))
	b.eventuallySeen()
	require.Equal(t, lampText(2, 20), b.text(2))
	require.Equal(t, 20, b.published(2))
}

// A pack that was written just now can change again and look the same; the types
// that it declares are known even so.
func TestTypesAreNotReadAgainAfterAYoungPack(t *testing.T) {
	b := newBench(t, 3)
	b.eventuallySeen()
	for i := range 3 {
		b.write(2, lampText(2, uint64(20+i)))
		b.reopen()
		require.True(t, b.w.TypesSeenBefore())
		require.Equal(t, 20+i, b.published(2))
	}
}

// Of a pack that another program saved it is not known whether it is canonical;
// of one of ours it is, also by the next process.
func TestTheFirstChangeAfterAnOpeningGivesACanonicalPack(t *testing.T) {
	b := newBench(t, 3)
	for i := range 3 {
		b.reopen()
		b.write(2, lampText(2, uint64(20+i)))
		require.NoError(t, b.w.Sync())
		p, err := packfile.ReadFile(b.dir.PackPath())
		require.NoError(t, err)
		data, err := packfile.Encode(p.World(), p.Types(), p)
		require.NoError(t, err)
		require.Equal(t, data, p.Bytes())
	}
}

func TestWhatChangedWhileAWorldWasClosedIsSeen(t *testing.T) {
	t.Run("the pack", func(t *testing.T) {
		b := newBench(t, 3)
		b.eventuallySeen()
		e := b.engine(true)
		e.set(2, 20)
		require.NoError(t, b.w.Close())
		b.overwrite(b.dir.PackPath(), e.encode())
		b.open()
		b.eventuallyWatts(2, 20)
	})
	t.Run("a type", func(t *testing.T) {
		b := newBench(t, 3)
		b.eventuallySeen()
		require.NoError(t, b.w.Close())
		path := filepath.Join(b.dir.TypesPath(), typefile.FileName("Lamp"))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		b.overwrite(path, bytes.ReplaceAll(text, []byte("watts"), []byte("power")))
		b.open()
		require.True(t, hasField(b.w.Types().Get("Lamp"), "power"))
	})
	t.Run("a bit of the pack", func(t *testing.T) {
		b := newBench(t, 3)
		b.eventuallySeen()
		require.NoError(t, b.w.Close())
		data, err := os.ReadFile(b.dir.PackPath())
		require.NoError(t, err)
		data[len(data)-20] ^= 1
		b.overwrite(b.dir.PackPath(), data)
		b.w = nil
		_, err = cache.Open(b.dir, cache.Options{})
		require.ErrorIs(t, err, packfile.ErrChecksum)
	})
}

func hasField(t *entity.Type, name string) bool {
	for _, f := range t.Current().Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}
