package packfile

import (
	"crypto/sha256"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPiecesAreAllOfIt(t *testing.T) {
	for _, size := range []int{0, 1, headerSize, pieceSize - 1, pieceSize, pieceSize + 1, headerSize + 3*pieceSize, 3*pieceSize + 7} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7 / 5)
		}
		require.True(t, string(data) == string(clone(data)), "%d bytes", size)
		require.Equal(t, crc32.Checksum(data, castagnoli), checksum(data), "%d bytes", size)
		head := hashedHead(data[:min(headerSize, size)])
		require.Equal(t, sha256.Sum256(append(head[:len(head):len(head)], data[len(head):]...)), Hash(data), "%d bytes", size)
	}
}
