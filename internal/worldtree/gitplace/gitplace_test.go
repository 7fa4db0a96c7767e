package gitplace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/gitplace"
)

const said = "game/world/\n/srv/r/.git\n"

func TestParse(t *testing.T) {
	p := gitplace.Parse(said)
	require.Equal(t, "game/world/", p.Prefix)
	require.Equal(t, "/srv/r/.git", p.GitDir)
	p = gitplace.Parse("\n/srv/r/.git\n")
	require.Empty(t, p.Prefix)
	require.Equal(t, "/srv/r/.git", p.GitDir)
}

// A place is known as long as .git is the same and none is nearer.
func TestKnown(t *testing.T) {
	for what, changes := range map[string]func(top, dir string){
		"another repository": func(top, _ string) {
			require.NoError(t, os.Mkdir(filepath.Join(top, "other"), 0o777))
			require.NoError(t, os.Remove(filepath.Join(top, ".git")))
			require.NoError(t, os.Rename(filepath.Join(top, "other"), filepath.Join(top, ".git")))
		},
		"a nearer one":  func(_, dir string) { require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o777)) },
		"none any more": func(top, _ string) { require.NoError(t, os.Remove(filepath.Join(top, ".git"))) },
		"a linked one's": func(_, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: x"), 0o666))
		},
	} {
		t.Run(what, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "game", "world")
			require.NoError(t, os.MkdirAll(dir, 0o777))
			require.NoError(t, os.Mkdir(filepath.Join(top, ".git"), 0o777))
			_, ok := gitplace.Known(dir)
			require.False(t, ok)
			learned := gitplace.Learn(dir, said)
			known, ok := gitplace.Known(dir)
			require.True(t, ok)
			require.Equal(t, learned, known)
			changes(top, dir)
			_, ok = gitplace.Known(dir)
			require.False(t, ok)
		})
	}
}

func TestGitDir(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "game", "world")
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.Empty(t, gitplace.GitDir(dir))
	dotGit := filepath.Join(top, ".git")
	for said, want := range map[string]string{
		"gitdir: /srv/r/.git/worktrees/w\n": "/srv/r/.git/worktrees/w", "gitdir: ../r\n": filepath.Join(top, "../r"), "else": "",
	} {
		require.NoError(t, os.WriteFile(dotGit, []byte(said), 0o666))
		require.Equal(t, want, gitplace.GitDir(dir))
	}
	require.NoError(t, os.Remove(dotGit))
	require.NoError(t, os.Mkdir(dotGit, 0o777))
	require.Equal(t, dotGit, gitplace.GitDir(dir))
	require.NoError(t, os.Rename(dotGit, filepath.Join(top, "other")))
	require.NoError(t, os.Symlink("other", dotGit))
	require.Equal(t, dotGit, gitplace.GitDir(dir), "git follows it")
}
