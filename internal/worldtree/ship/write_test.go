package ship_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
)

func TestABuildThatCannotBeWrittenLeavesTheLastOne(t *testing.T) {
	broken := errors.New("broken by the test")
	for _, step := range []string{"write ship map", "fsync ship map", "write pack", "fsync pack", "rename ship map"} {
		dir := t.TempDir()
		old := []ship.File{{"ship map", filepath.Join(dir, "ship.pack.map"), []byte("old map")}, {"pack", filepath.Join(dir, "ship.pack"), []byte("old pack")}}
		require.NoError(t, ship.Write(&disk.Disk{}, old...))
		d := &disk.Disk{Fault: func(s string) error {
			if s == step {
				return broken
			}
			return nil
		}}
		err := ship.Write(d, ship.File{"ship map", old[0].Path, []byte("new map")}, ship.File{"pack", old[1].Path, []byte("new pack")})
		require.ErrorIs(t, err, broken, step)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 2, step)
		for _, f := range old {
			data, err := os.ReadFile(f.Path)
			require.NoError(t, err)
			require.Equal(t, f.Data, data, step)
		}
	}
}

func TestWhatAKilledBuildLeftIsRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ship.pack")
	require.NoError(t, os.WriteFile(disk.Beside(path, "tmp"), []byte("half"), 0o600))
	require.NoError(t, ship.Write(&disk.Disk{}, ship.File{"pack", path, []byte("new")}))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
