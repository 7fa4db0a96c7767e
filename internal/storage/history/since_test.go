package history_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/history"
)

// Another process reads what the log's owner writes, from where it was.
func TestSinceReadsBesideTheOwner(t *testing.T) {
	dir := t.TempDir()
	var ids []entity.ID
	look := func(e *history.Entry) { ids = append(ids, e.ID) }
	last, err := history.Since(dir, 0, look)
	require.NoError(t, err)
	require.Zero(t, last)

	log := history.Open(dir, history.Limits{})
	defer func() { require.NoError(t, log.Close()) }()
	first, err := log.Append([]history.Entry{{ID: 7, Kind: history.Changed}, {ID: 8, Kind: history.Changed}})
	require.NoError(t, err)
	last, err = history.Since(dir, 0, look)
	require.NoError(t, err)
	require.Equal(t, first, last)
	require.Equal(t, []entity.ID{7, 8}, ids)

	second, err := log.Append([]history.Entry{{ID: 9, Kind: history.Changed}})
	require.NoError(t, err)
	last, err = history.Since(dir, last, look)
	require.NoError(t, err)
	require.Equal(t, second, last)
	require.Equal(t, []entity.ID{7, 8, 9}, ids)
	last, err = history.Since(dir, last, look)
	require.NoError(t, err)
	require.Equal(t, second, last)
	require.Len(t, ids, 3)
}
