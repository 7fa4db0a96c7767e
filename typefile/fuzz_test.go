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
	f.Fuzz(func(t *testing.T, data []byte) {
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
