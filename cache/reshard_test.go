package cache_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// reshard moves the plain files to where another layout has them, as a checkout does, which
// writes world.toml last.
func (b *bench) reshard(l layout.Layout) {
	for _, id := range b.w.IDs(0, 100) {
		to := filepath.Join(b.dir.EntitiesPath(), l.Path(id))
		require.NoError(b, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(b, os.Rename(b.plainPath(id), to))
	}
	require.NoError(b, b.dir.SetShard(l))
}

// atTop returns the names of entities' files that lie in no shard.
func (b *bench) atTop() []string {
	found, err := filepath.Glob(filepath.Join(b.dir.EntitiesPath(), "*"+layout.Suffix))
	require.NoError(b, err)
	return found
}

// A world that was opened before a checkout changed shard writes no file where none lies now.
func TestNoPlainFileIsWrittenByAShardThatWas(t *testing.T) {
	b := plainBench(t, 4)
	b.edit(2, "; watts\n    2\n", "; watts\n    200\n")
	b.reshard(layout.Tens)
	_, err := b.w.WritePlain("", false)
	require.ErrorIs(t, err, cache.ErrShardChanged)
	require.Empty(t, b.atTop())
}

// Nor is any left there that was on its way to its name as the checkout went on; what was to
// be written comes into the files that the checkout has brought.
func TestAPlainFileThatIsWrittenAmidAChangeOfShardIsTakenBack(t *testing.T) {
	b := plainBench(t, 4)
	b.edit(2, "; watts\n    2\n", "; watts\n    200\n")
	var once sync.Once
	b.w.SetFault(func(step string) error {
		if step == "rename plain file" {
			once.Do(func() { b.reshard(layout.Tens) })
		}
		return nil
	})
	_, err := b.w.WritePlain("", false)
	require.ErrorIs(t, err, cache.ErrShardChanged)
	require.Empty(t, b.atTop())
	b.w.SetFault(nil)
	b.reopen()
	none := func(string, []cache.PlainMove) error { return nil }
	require.NoError(t, b.w.Relocate([]string{b.dir.EntitiesPath()}, none))
	require.Empty(t, b.takePlain().Conflicts)
	_, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.Equal(t, 200, b.published(2))
	require.Equal(t, b.text(2), read(t, filepath.Join(b.dir.EntitiesPath(), "02/2.entity_text")))
	require.Contains(t, b.text(2), "; watts\n    200\n")
	require.Empty(t, b.atTop())
}

// Where the checkout has not brought its file yet, or shard was edited by hand, what was
// written is the only one of its entity: it stays, and is moved.
func TestAPlainFileThatIsAloneIsNotTakenBack(t *testing.T) {
	b := plainBench(t, 4)
	b.edit(2, "; watts\n    2\n", "; watts\n    200\n")
	b.w.SetFault(func(step string) error {
		if step == "rename plain file" {
			require.NoError(b, b.dir.SetShard(layout.Tens))
		}
		return nil
	})
	_, err := b.w.WritePlain("", false)
	require.ErrorIs(t, err, cache.ErrShardChanged)
	require.True(t, strings.Contains(b.plain(2), "200"))
	require.Len(t, b.atTop(), 4)
}

// Files are moved to no place that world.toml has left again.
func TestPlainFilesAreNotMovedByAShardThatWas(t *testing.T) {
	b := plainBench(t, 4)
	require.NoError(t, b.dir.SetShard(layout.Tens))
	b.reopen()
	require.NoError(t, b.dir.SetShard(layout.None))
	none := func(string, []cache.PlainMove) error { return nil }
	require.ErrorIs(t, b.w.Relocate([]string{b.dir.EntitiesPath()}, none), cache.ErrShardChanged)
	require.Len(t, b.atTop(), 4)
}
