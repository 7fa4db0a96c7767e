package cache_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// oldBench is a world whose state.db an older worldfs has left, killed with
// edits that no pack has.
func oldBench(t *testing.T, format string) *bench {
	root := filepath.Join(t.TempDir(), "world")
	require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join("testdata", "state-"+format))))
	dir, err := worlddir.Open(root)
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	require.NoError(t, os.Rename(filepath.Join(root, "state.db"), dir.DBPath()))
	if err := os.Rename(filepath.Join(root, "state.wal"), dir.WALPath()); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	b := &bench{T: t, dir: dir}
	t.Cleanup(func() {
		if b.w != nil {
			require.NoError(t, b.w.Close())
		}
	})
	return b
}

func TestTheStateOfAnOlderFormatIsUpgraded(t *testing.T) {
	for _, format := range []string{"1", "2"} { // of the same edits
		t.Run(format, func(t *testing.T) { testUpgrade(t, format) })
	}
}

func testUpgrade(t *testing.T, format string) {
	b := oldBench(t, format)
	b.open()
	for range 2 { // upgraded, and then as it is now
		require.Equal(t, []entity.ID{1, 2, 3, 4, 5, 8, 9, 10}, b.w.IDs(0, 20))
		for id, want := range map[entity.ID]string{
			1: lampText(1, 1), 2: "\n" + lampText(2, 20), 3: lampText(3, 3), 4: "broken\n",
			5: lampText(5, 50), 8: lampText(8, 8), 9: lampText(9, 90), 10: lampText(7, 7),
		} {
			require.Equal(t, want, b.text(id))
		}
		require.Equal(t, uint64(8589934592), b.attr(9).Ino)
		require.Equal(t, uint64(4294967303), b.attr(10).Ino, "it was 7's")
		require.Equal(t, uint32(0o600), b.attr(3).Mode)
		require.Equal(t, int64(981173106000000789), b.attr(3).Mtime.UnixNano())
		require.Equal(t, b.attr(3).Mtime, b.attr(3).Atime)
		require.Equal(t, int64(1795335730758558916), b.attr(1).Mtime.UnixNano())
		require.Contains(t, b.codes(), "4 broken")
		b.reopen()
	}
}

// The last edits before the kill are in the log only.
func TestTheStateOfFormat3IsRead(t *testing.T) {
	b := oldBench(t, "3")
	b.open()
	for range 2 {
		require.Equal(t, []entity.ID{1, 2, 4, 5, 8, 9, 10}, b.w.IDs(0, 20))
		require.Equal(t, lampText(2, 22), b.text(2))
		require.Equal(t, "broken\n", b.text(4), "the log has its mode")
		require.Equal(t, uint32(0o640), b.attr(4).Mode)
		require.Equal(t, int64(123000000456), b.attr(5).Mtime.UnixNano())
		require.Equal(t, lampText(5, 50), b.text(5))
		b.reopen()
	}
}

func TestAnUpgradeKeepsACopy(t *testing.T) {
	b := oldBench(t, "3")
	before := make(map[string][]byte)
	for _, path := range []string{b.dir.DBPath(), b.dir.WALPath()} {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		before[path] = data
	}
	b.open()
	for path, data := range before {
		copied, err := os.ReadFile(path + ".format-3")
		require.NoError(t, err)
		require.Equal(t, data, copied)
	}
}

func TestPlainFilesAreKnownAfterTheUpgrade(t *testing.T) {
	b := oldBench(t, "1")
	b.open()
	require.NoError(t, os.Remove(filepath.Join(b.dir.EntitiesPath(), "8.entity_text")))
	r, err := b.w.TakePlain()
	require.NoError(t, err)
	require.Equal(t, 1, r.Deleted, "only what was there once can be deleted")
}

func TestTheStateOfANewerFormatIsRefused(t *testing.T) {
	b := oldBench(t, "1")
	db, err := bbolt.Open(b.dir.DBPath(), 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("format"), binary.LittleEndian.AppendUint32(nil, 99))
	}))
	require.NoError(t, db.Close())
	before, err := os.ReadFile(b.dir.DBPath())
	require.NoError(t, err)
	_, err = cache.Open(b.dir, cache.Options{})
	require.ErrorIs(t, err, state.ErrNewer)
	require.ErrorContains(t, err, "99")
	after, err := os.ReadFile(b.dir.DBPath())
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestTimesOfAnyCenturyAreKept(t *testing.T) {
	b := newBench(t, 1)
	f, err := b.w.Lookup(1)
	require.NoError(t, err)
	for _, year := range []int{1, 1677, 1969, 2262, 2400} {
		mtime, atime := time.Date(year, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(year, 1, 2, 3, 4, 5, 6, time.UTC)
		require.NoError(t, f.SetAttr(cache.AttrChange{Mtime: &mtime, Atime: &atime}))
		b.reopen()
		require.True(t, mtime.Equal(b.attr(1).Mtime))
		require.True(t, atime.Equal(b.attr(1).Atime))
		f, err = b.w.Lookup(1)
		require.NoError(t, err)
	}
}
