package worldform_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/dev/island"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// BenchmarkOpen opens one world in each of its forms.
func BenchmarkOpen(b *testing.B) {
	top := b.TempDir()
	w := island.Generate(10422, 1)
	given := &worldform.World{ID: w.ID, Types: w.Types, Source: w}
	git, svn := filepath.Join(top, "git"), filepath.Join(top, "svn")
	gitInit(b, git)
	svnInit(b, svn)
	for name, plain := range map[string]bool{"git/w": true, "svn/w": true, "a.pack": false, "a.jsonl": false, "world": false} {
		require.NoError(b, worldform.Create(filepath.Join(top, name), given, worldform.Options{Plain: plain}))
	}
	gitCommit(b, git)
	svnCommit(b, svn)
	require.NoError(b, os.Chdir(top))
	for _, c := range []struct{ name, dir string }{
		{"a.pack", ""}, {"a.jsonl", ""}, {"world", ""}, {"git/w", ""},
		{"git:HEAD", "git/w"}, {"svn:BASE", "svn/w"}, {"svn:1", "svn/w"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				got := open(b, c.name, worldform.Options{Dir: c.dir})
				require.Equal(b, w.Len(), got.Source.Len())
			}
		})
	}
}
