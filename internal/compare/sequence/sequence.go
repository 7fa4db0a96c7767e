// Package sequence compares and merges sequences: lists, lines of a text, the
// elements of a JSON array. It knows elements only by whether they are equal, and
// it answers in spans, so that the caller keeps what the elements mean.
//
// Guarantees: [Diff] always leads from the one sequence to the other. [Merge] of
// (a, a, b), (a, b, a) and (a, b, b) is b, and with its sides swapped it says the
// same of the swapped sides. Changes of the two sides that share no element of the
// base never conflict, also where they touch.
//
// Costs: time and memory proportional to the lengths where little differs. The
// search for the shortest difference has a budget; past it, elements that stand
// once in both sequences are the landmarks, and what lies between two of them
// counts as replaced when the budget does not suffice for it either.
package sequence

// Span is a part of a sequence: From is in it, To is the first that is not.
type Span struct{ From, To int }

// Len returns the number of elements.
func (s Span) Len() int { return s.To - s.From }

// Edit says that a part of the base has become a part of a side. One of the two
// may be empty.
type Edit struct{ Base, Side Span }

// Origin says which side changed a chunk.
type Origin uint8

// What became of a chunk.
const (
	Unchanged Origin = iota
	Ours             // changed by ours alone
	Theirs           // changed by theirs alone
	Both             // changed by both to the same
	Conflict         // changed by both, and by Merge and Combine differently; an empty Base: both inserted
)

// Chunk is a part of the base and what it is on the two sides.
type Chunk struct {
	Origin             Origin
	Base, Ours, Theirs Span
}

// Merge compares two sides with their base. The chunks cover all three sequences
// without a gap. Both sides' insertions at one place are split into what they
// have in common at either end and a conflict between.
func Merge[K comparable](base, ours, theirs []K) []Chunk {
	return Combine(len(base), Diff(base, ours), Diff(base, theirs), func(o, t int) bool { return ours[o] == theirs[t] })
}
