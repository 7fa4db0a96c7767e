package merge

import "github.com/worldfs/worldfs/internal/compare/sequence"

// align cuts three sequences of symbols, numbers that stand for elements, into chunks:
// what both sides changed is a conflict, be it to the same.
func align(base, ours, theirs []int) []sequence.Chunk {
	return sequence.Align(len(base), sequence.Diff(base, ours), sequence.Diff(base, theirs))
}

func either[T any](stands Party, ours, theirs T) T {
	if stands == Theirs {
		return theirs
	}
	return ours
}
