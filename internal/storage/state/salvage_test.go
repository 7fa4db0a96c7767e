package state

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/fileattr"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Damage beside the records leaves these as they are: none comes back that was dropped, and
// none is called lost.
func TestDamageBesideTheRecordsLeavesThemAsTheyAre(t *testing.T) {
	dir, err := worlddir.Init(filepath.Join(t.TempDir(), "world"), worlddir.InitOptions{})
	require.NoError(t, err)
	require.NoError(t, dir.EnsureState())
	open := func() *Store {
		store, _, err := Open(dir, &disk.Disk{}, nil, false)
		require.NoError(t, err)
		return store
	}
	store := open()
	put := func(u Update) { require.NoError(t, store.update(u.put)) }
	at := time.Unix(1600000000, 0)
	for id := entity.ID(1); id <= 100; id++ {
		put(Update{Records: map[entity.ID]*Record{id: {
			HasText: true, Text: bytes.Repeat([]byte("text "), 40), Seq: uint64(id),
			Attr: fileattr.Attr{Mode: 0o644, Mtime: at, Ctime: at, Atime: at},
		}}})
	}
	for id := entity.ID(1); id <= 100; id += 2 { // most of these lie in pages that are free now
		put(Update{Records: map[entity.ID]*Record{id: nil}})
	}
	hash := bytes.Repeat([]byte("stamp...."), 4)[:32]
	require.NoError(t, store.PutPlain(PlainUpdate{Stamps: map[entity.ID]Stamp{7: {Hash: [32]byte(hash)}}}))
	require.NoError(t, store.Close())

	data, err := os.ReadFile(dir.DBPath())
	require.NoError(t, err)
	require.NotZero(t, bytes.Count(data, hash))
	damaged := append([]byte("X"), hash[1:]...)
	require.NoError(t, os.WriteFile(dir.DBPath(), bytes.ReplaceAll(data, hash, damaged), 0o600))
	_, _, err = Open(dir, &disk.Disk{}, nil, false)
	var damage *Damage
	require.ErrorAs(t, err, &damage)
	m, err := Mend(dir, &disk.Disk{}, damage)
	require.NoError(t, err)
	require.Empty(t, m.Lost)

	store = open()
	var ids []entity.ID
	require.NoError(t, store.EachRecord(func(id entity.ID, _ *Record) error { ids = append(ids, id); return nil }))
	require.NoError(t, store.Close())
	require.Len(t, ids, 50, "%v", ids)
}
