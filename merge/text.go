package merge

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// mergeLines merges three texts line by line. Where both changed the same
// lines differently, the side given stands there, and clash is true.
//
// Lines that both inserted at one place are both kept, in an order that does
// not depend on which side is ours; but not into an empty text, and not a line
// without an end: those are two values of one text.
//
// Where no text ends its last line, that line is one like the others: what is
// put behind it does not change it.
func mergeLines(base, ours, theirs string, stands Party) (merged string, clash bool) {
	if open(base) && open(ours) && open(theirs) {
		merged, clash = mergeLines(base+"\n", ours+"\n", theirs+"\n", stands)
		return strings.TrimSuffix(merged, "\n"), clash
	}
	b, o, t := splitLines(base), splitLines(ours), splitLines(theirs)
	symbols := make(map[string]int)
	number := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			if _, known := symbols[line]; !known {
				symbols[line] = len(symbols)
			}
			out[i] = symbols[line]
		}
		return out
	}
	var out []string
	for _, c := range align(number(b), number(o), number(t)) {
		mine, other := o[c.Ours.From:c.Ours.To], t[c.Theirs.From:c.Theirs.To]
		switch {
		case c.Origin == sequence.Theirs:
			out = append(out, other...)
		case c.Origin != sequence.Conflict || slices.Equal(mine, other):
			out = append(out, mine...)
		case c.Base.Len() == 0 && len(b) > 0 && complete(mine) && complete(other):
			out = append(out, interleave(mine, other, strings.Compare)...)
		default:
			clash = true
			out = append(out, either(stands, mine, other)...)
		}
	}
	for _, line := range out[:max(len(out)-1, 0)] {
		if open(line) { // it was a text's last, and is not to become one with the next
			return either(stands, ours, theirs), true
		}
	}
	return strings.Join(out, ""), clash
}

// align cuts three sequences of symbols, numbers that stand for elements, into chunks:
// what both sides changed is a conflict, be it to the same.
func align(base, ours, theirs []int) []sequence.Chunk {
	return sequence.Align(len(base), sequence.Diff(base, ours), sequence.Diff(base, theirs))
}

// open reports whether a text has a last line without an end.
func open(s string) bool { return s != "" && !strings.HasSuffix(s, "\n") }

// splitLines cuts a text after each line end.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func complete(lines []string) bool {
	return len(lines) == 0 || strings.HasSuffix(lines[len(lines)-1], "\n")
}

// interleave returns what both inserted at one place: what they share at the
// beginning and the end once, and between it both runs, the lesser first.
func interleave[T any](a, b []T, compare func(a, b T) int) []T {
	same := func(x, y T) bool { return compare(x, y) == 0 }
	lead := 0
	for lead < len(a) && lead < len(b) && same(a[lead], b[lead]) {
		lead++
	}
	out := slices.Clone(a[:lead])
	a, b = a[lead:], b[lead:]
	tail := 0
	for tail < len(a) && tail < len(b) && same(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	end := a[len(a)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	if slices.CompareFunc(a, b, compare) > 0 {
		a, b = b, a
	}
	return slices.Concat(out, a, b, end)
}

func either[T any](stands Party, ours, theirs T) T {
	if stands == Theirs {
		return theirs
	}
	return ours
}
