package packstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/storage/packstore"
)

func TestAKeptPackIsNamedByItsHashOrATime(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	packs := []packstore.Kept{
		{Hash: "abcd22", At: noon.Add(time.Hour)}, {Hash: "abcd11", At: noon}, {Hash: "ef0123", At: noon.Add(-time.Hour)},
	}
	for hash, want := range map[string]packstore.Target{
		"abcd22": {At: noon.Add(2 * time.Hour)},
		"abcd11": {At: noon},
		"ef0123": {Hash: "EF01"},
	} {
		k, err := want.In(packs)
		require.NoError(t, err)
		require.Equal(t, hash, k.Hash)
	}
	for _, none := range []packstore.Target{{Hash: "0123"}, {At: noon.Add(-2 * time.Hour)}} {
		_, err := none.In(packs)
		require.ErrorIs(t, err, packstore.ErrNotKept)
	}
	_, err := packstore.Target{Hash: "abcd"}.In(packs)
	require.ErrorContains(t, err, "2 kept packs")
}
