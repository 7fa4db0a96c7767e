package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

func TestAWorldUnderCheckoutIsSeen(t *testing.T) {
	repository := t.TempDir()
	dir, err := worlddir.Init(filepath.Join(repository, "worlds", "w"), worlddir.InitOptions{Note: func(string) {}})
	require.NoError(t, err)
	require.False(t, underCheckout(dir), "there is no version control")

	git := filepath.Join(repository, ".git")
	require.NoError(t, os.Mkdir(git, 0o755))
	require.False(t, underCheckout(dir))
	lock := filepath.Join(git, "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o644))
	require.True(t, underCheckout(dir))
	require.NoError(t, os.RemoveAll(git))

	for _, linked := range []string{filepath.Join(repository, "main", "worktrees", "w"), "main/worktrees/w"} {
		require.NoError(t, os.WriteFile(git, []byte("gitdir: "+linked+"\n"), 0o644))
		require.False(t, underCheckout(dir))
		in := filepath.Join(repository, "main", "worktrees", "w")
		require.NoError(t, os.MkdirAll(in, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(in, "index.lock"), nil, 0o644))
		require.True(t, underCheckout(dir), linked)
		require.NoError(t, os.RemoveAll(in))
	}
	require.NoError(t, os.Remove(git))

	require.NoError(t, os.Mkdir(filepath.Join(repository, ".hg"), 0o755))
	require.False(t, underCheckout(dir))
	require.NoError(t, os.Symlink("host:4711", filepath.Join(repository, ".hg", "wlock")))
	require.True(t, underCheckout(dir))
}
