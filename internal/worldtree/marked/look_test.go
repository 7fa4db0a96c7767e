package marked_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/marked"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func TestMarkersAreLookedForInFiles(t *testing.T) {
	dir := &worlddir.Dir{Root: t.TempDir()}
	may := func() bool {
		t.Helper()
		any, err := marked.MayBeAny(dir)
		require.NoError(t, err)
		return any
	}
	require.NoError(t, os.Mkdir(dir.TypesPath(), 0o755))
	require.True(t, may(), "only the pack has entities")
	require.NoError(t, os.Mkdir(filepath.Join(dir.Root, ".git"), 0o755))
	require.True(t, may(), "there is no entities/: the pack may have some")
	shard := filepath.Join(dir.EntitiesPath(), "5")
	require.NoError(t, os.MkdirAll(shard, 0o755))
	require.False(t, may())
	path := filepath.Join(shard, "6555.entity_text")
	require.NoError(t, os.WriteFile(path, []byte("Door\n72\n6555\n; name\n    \"<<<<<<< no marker\"\n"), 0o644))
	require.False(t, may())
	require.NoError(t, os.WriteFile(path, []byte("Door\n72\n6555\n<<<<<<< HEAD\n"), 0o644))
	require.True(t, may())
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(filepath.Join(dir.TypesPath(), "Door.toml"), []byte("<<<<<<< HEAD\n"), 0o644))
	require.True(t, may())
}
