package packfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/packfile"
)

func TestAFileIsReadInPiecesAsWhole(t *testing.T) {
	for _, size := range []int{0, 1, 79, 80, 81, 256 << 10, 256<<10 + 1, 1 << 20} {
		data := bytes.Repeat([]byte{7, 8, 9}, size/3+1)[:size]
		path := filepath.Join(t.TempDir(), "world.pack")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		f, err := os.Open(path)
		require.NoError(t, err)
		hash, busy, err := packfile.HashStill(f)
		require.NoError(t, err)
		require.False(t, busy)
		require.Equal(t, packfile.Hash(data), hash, "%d bytes", size)
		read, _, err := packfile.ReadStill(f)
		require.NoError(t, err)
		require.Equal(t, data, read)

		other := append(bytes.Clone(data), 1)
		for _, is := range [][]byte{data, other, other[:size/2], flipped(data)} {
			same, _, err := packfile.HasStill(f, is)
			require.NoError(t, err)
			require.Equal(t, bytes.Equal(data, is), same)
		}
		require.NoError(t, f.Close())
	}
}

// flipped returns data with another last byte.
func flipped(data []byte) []byte {
	data = bytes.Clone(data)
	if len(data) > 0 {
		data[len(data)-1]++
	}
	return data
}
