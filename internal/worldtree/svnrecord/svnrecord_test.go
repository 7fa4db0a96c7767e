package svnrecord_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/svnrecord"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// record is one that an earlier build kept, without a sum.
const record = `{"Operation":"update 7","Kind":"update","Dirs":{},"Files":{},"Texts":{}}`

func TestRead(t *testing.T) {
	dir := worlddir.Known(t.TempDir(), entity.GUID{})
	require.NoError(t, dir.EnsureState())
	got, err := svnrecord.Read(dir)
	require.NoError(t, err)
	require.Nil(t, got)

	path := filepath.Join(dir.StatePath(), worlddir.SVNMergeName)
	require.NoError(t, os.WriteFile(path, []byte(record), 0o600))
	got, err = svnrecord.Read(dir)
	require.NoError(t, err, "of an earlier build")
	require.Equal(t, record, string(got))

	require.NoError(t, svnrecord.Keeper(dir, (*worlddir.Dir).Keep)(got))
	got, err = svnrecord.Read(dir)
	require.NoError(t, err)
	require.Equal(t, record, string(got))

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := range whole {
		for _, bit := range []byte{1, 32, 128} {
			broken := append([]byte{}, whole...)
			broken[i] ^= bit
			require.NoError(t, os.WriteFile(path, broken, 0o600))
			got, err := svnrecord.Read(dir)
			require.True(t, err != nil || string(got) == record, "byte %d: %s", i, broken)
		}
		require.NoError(t, os.WriteFile(path, whole[:i], 0o600))
		_, err = svnrecord.Read(dir)
		require.ErrorIs(t, err, svnrecord.ErrDamaged, "%d bytes", i)
	}
	for _, text := range []string{"null", "{}", "[]", `{"version":1}`, `{"Operation":""}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err = svnrecord.Read(dir)
		require.ErrorIs(t, err, svnrecord.ErrDamaged, text)
	}
	require.NoError(t, os.WriteFile(path, []byte(`{"version":2}`), 0o600))
	_, err = svnrecord.Read(dir)
	require.ErrorContains(t, err, "use that one")
}
