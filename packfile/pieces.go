package packfile

import (
	"hash/crc32"
	"iter"
	"runtime"
	"slices"
)

// pieceSize is how much of a pack is looked at at once.
const pieceSize = 256 << 10

// pieces yields the parts of data, and lets other goroutines run after each. What
// copies, sums and hashes is assembly, which the runtime does not interrupt: of a
// large pack it would keep a collection of garbage, and with it every goroutine,
// waiting for as long as all of it takes.
func pieces(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for piece := range slices.Chunk(data, pieceSize) {
			if !yield(piece) {
				return
			}
			runtime.Gosched()
		}
	}
}

func clone(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for piece := range pieces(data) {
		out = append(out, piece...)
	}
	return out
}

func checksum(data []byte) (crc uint32) {
	for piece := range pieces(data) {
		crc = crc32.Update(crc, castagnoli, piece)
	}
	return crc
}
