package sequence

import (
	"slices"
	"strings"
)

// MergeLines merges three texts line by line. Where both changed the same
// lines differently, ours or theirs stands there, and clash is true.
//
// Lines that both inserted at one place are both kept, in an order that does
// not depend on which side is ours; but not into an empty text, and not a line
// without an end: those are two values of one text.
//
// Where no text ends its last line, that line is one like the others: what is
// put behind it does not change it.
func MergeLines(base, ours, theirs string, oursStands bool) (merged string, clash bool) {
	if open(base) && open(ours) && open(theirs) {
		merged, clash = MergeLines(base+"\n", ours+"\n", theirs+"\n", oursStands)
		return strings.TrimSuffix(merged, "\n"), clash
	}
	b, o, t := Lines(base), Lines(ours), Lines(theirs)
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
	sb, so, st := number(b), number(o), number(t)
	var out []string
	for _, c := range Align(len(b), Diff(sb, so), Diff(sb, st)) {
		mine, other := o[c.Ours.From:c.Ours.To], t[c.Theirs.From:c.Theirs.To]
		switch {
		case c.Origin == Theirs:
			out = append(out, other...)
		case c.Origin != Conflict || slices.Equal(mine, other):
			out = append(out, mine...)
		case c.Base.Len() == 0 && len(b) > 0 && complete(mine) && complete(other):
			out = append(out, Interleave(mine, other, strings.Compare)...)
		default:
			clash = true
			out = append(out, either(oursStands, mine, other)...)
		}
	}
	for _, line := range out[:max(len(out)-1, 0)] {
		if open(line) { // it was a text's last, and is not to become one with the next
			return either(oursStands, ours, theirs), true
		}
	}
	return strings.Join(out, ""), clash
}

// open reports whether a text has a last line without an end.
func open(s string) bool { return s != "" && !strings.HasSuffix(s, "\n") }

// Lines cuts a text after each line end.
func Lines(s string) []string {
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

func either[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
