package typefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse checks that whatever parses is written as a file that declares the
// same, with its comments and without.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/update/*.toml", "testdata/errors/*.toml"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, path := range paths {
			data, err := os.ReadFile(path)
			require.NoError(f, err)
			f.Add(data)
		}
	}
	f.Add([]byte("name = \"X\"\n<<<<<<< a\nrevision = 1\n||||||| o\n=======\nrevision = 2\n>>>>>>> b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if read, conflict, err := Read(data, "x.toml"); err == nil {
			require.NoError(t, read.Validate())
			require.True(t, conflict == nil || conflict.Line > 0)
		}
		typ, err := Parse(data, "x.toml")
		if err != nil {
			return
		}
		file := Format(typ)
		back, err := Parse(file, "y.toml")
		require.NoError(t, err, "%s", file)
		require.Equal(t, text(typ), text(back))

		typ.Revision++
		file, err = Update(data, typ)
		require.NoError(t, err)
		back, err = Parse(file, "z.toml")
		require.NoError(t, err, "%s", file)
		require.Equal(t, text(typ), text(back))
	})
}
