package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// reshard moves the plain files to where another layout has them, as a checkout does.
func reshard(t *testing.T, root string, l layout.Layout) {
	dir, err := worlddir.Open(root)
	require.NoError(t, err)
	was, err := dir.ShardNow()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir.EntitiesPath(), map[bool]string{true: "*", false: "*/*"}[was == layout.None]+layout.Suffix))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, from := range files {
		id, ok := layout.ParseFileName(filepath.Base(from))
		require.True(t, ok)
		to := filepath.Join(dir.EntitiesPath(), filepath.FromSlash(l.Path(id)))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.Rename(from, to))
	}
	require.NoError(t, dir.SetShard(l))
}

// A command that has changed the world as a checkout changed shard is done, and writes its files
// to where that has them.
func TestACommandAmidAChangeOfShardIsDone(t *testing.T) {
	for _, changes := range [][]layout.Layout{
		{layout.Tens}, {layout.Tens, layout.None}, {layout.Tens, layout.LastDigit},
	} {
		root := t.TempDir()
		dir, err := worlddir.Init(root, worlddir.InitOptions{Note: func(string) {}})
		require.NoError(t, err)
		dir.Settings.Plain = new(bool)
		*dir.Settings.Plain = true
		require.NoError(t, daemon.Fill(dir, island.Generate(20, 1)))
		id := firstOf(t, dir)
		status, said := called(func(a *App, cmd *cobra.Command) error {
			return a.UseDir(cmd, dir, func(w *daemon.World) error {
				text, err := w.Text(id)
				require.NoError(t, err)
				err = w.Replace([]daemon.Replacement{{ID: id, Was: text, Text: append(slices.Clone(text), "\r\n"...)}}, "do")
				for _, l := range changes {
					reshard(t, root, l)
				}
				return err
			})
		}, "do")
		require.Equal(t, daemon.ExitDone, status, said)
		require.Empty(t, said)
		last := changes[len(changes)-1]
		text, err := os.ReadFile(filepath.Join(dir.EntitiesPath(), filepath.FromSlash(last.Path(id))))
		require.NoError(t, err)
		require.Contains(t, string(text), "\r\n")
		files, err := plainfiles.List(dir.EntitiesPath(), last)
		require.NoError(t, err)
		require.Len(t, files, 20)
		for _, f := range files {
			require.False(t, f.Misplaced, f.Path)
		}
	}
}

// firstOf returns an entity that has a file.
func firstOf(t *testing.T, dir *worlddir.Dir) entity.ID {
	files, err := plainfiles.List(dir.EntitiesPath(), layout.None)
	require.NoError(t, err)
	require.Len(t, files, 20)
	return files[0].ID
}
