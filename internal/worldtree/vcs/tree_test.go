package vcs_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

func TestATreeIsListedAndReadInPart(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		top := t.TempDir()
		run(t, top, "git", "init", "-q", "-b", "main", "--object-format", format, ".")
		write(t, top, map[string]string{"world.toml": "id", "entities/1": "one", "entities/2": "", "entities/3": "one"})
		commit(t, top)
		tree, err := vcs.Git{Dir: top}.Tree(vcs.Query{Rev: "HEAD", Names: all})
		require.NoError(t, err)
		require.Len(t, tree.Files, 4)
		for _, f := range tree.Files {
			require.Equal(t, run(t, top, "git", "hash-object", filepath.Join(top, f.Name)), f.Object)
		}
		require.Equal(t, tree.Files[1].Object, tree.Format().ObjectOf([]byte("one")))
		require.Equal(t, tree.Files[2].Object, tree.Format().ObjectOf(nil))
		var names []string
		for f, err := range tree.Read(tree.Files[1:3]) {
			require.NoError(t, err)
			names = append(names, f.Name+string(f.Data))
		}
		require.Equal(t, []string{"entities/1one", "entities/2"}, names)
	}
}
