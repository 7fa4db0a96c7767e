package cache_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/storage/state"
)

// damageStamp changes a bit of what state.db knows of an entity's plain file, and mends it.
func (b *bench) damageStamp(id entity.ID) state.Mended {
	data, err := os.ReadFile(b.dir.DBPath())
	require.NoError(b, err)
	hash := sha256.Sum256([]byte(b.plain(id)))
	damaged := bytes.Clone(hash[:])
	damaged[0] ^= 1
	require.NotZero(b, bytes.Count(data, hash[:]))
	require.NoError(b, os.WriteFile(b.dir.DBPath(), bytes.ReplaceAll(data, hash[:], damaged), 0o600))
	m, err := mend.Mend(b.dir, nil)
	require.NoError(b, err)
	require.Contains(b, m.State.Damage, "stamps")
	return m.State
}

// What was made and deleted in a mount that was killed stands where it is no longer known what
// the plain files held: they were written from a pack that is known.
func TestPlainFilesOfWhichNothingIsKnownUndoNoEdit(t *testing.T) {
	b := plainBench(t, 20)
	b.edit(1, "; watts\n    1\n", "; watts\n    100\n")
	b.editPlain(2, "; watts\n    2\n", "; watts\n    200\n")
	require.NoError(t, b.w.Remove(3))
	b.write(5, "broken\n")
	require.NoError(t, b.w.SyncAll())
	require.NoError(t, b.w.Close())
	b.damageStamp(4)
	b.open()
	b.takePlain()
	require.Contains(t, b.text(1), "; watts\n    100\n")
	require.Contains(t, b.text(2), "; watts\n    200\n")
	require.Equal(t, "broken\n", b.text(5))
	_, err := b.w.Lookup(3)
	require.Error(t, err)
	_, err = b.w.WritePlain("", false)
	require.NoError(t, err)
	require.NoFileExists(t, b.plainPath(3))
	require.Equal(t, b.text(1), b.plain(1))
}
