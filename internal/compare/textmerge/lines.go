package textmerge

import (
	"bytes"
	"slices"
)

// Lines merges files of which each line says something by itself: the order is
// ours, a line that one side took away is gone, and one that theirs put in follows the
// line that it follows there.
func Lines(base, ours, theirs []byte) (merged []byte, clashes []string) {
	b, o, t := linesOf(base), linesOf(ours), linesOf(theirs)
	out := slices.DeleteFunc(slices.Clone(o), func(line string) bool {
		return slices.Contains(b, line) && !slices.Contains(t, line)
	})
	at := 0
	for _, line := range t {
		if i := slices.Index(out, line); i >= 0 {
			at = i + 1
			continue
		}
		if slices.Contains(b, line) {
			continue // ours took it away
		}
		out = slices.Insert(out, at, line)
		at++
	}
	var buf bytes.Buffer
	for _, line := range out {
		buf.WriteString(line)
		buf.WriteByte('\n')
	}
	return buf.Bytes(), nil
}

// WithoutRepeats returns a text without the lines that repeat an earlier one, where no side
// has the line twice.
func WithoutRepeats(text []byte, sides ...[]byte) []byte {
	count := func(line string) (most int) {
		for _, side := range sides {
			n := 0
			for _, l := range linesOf(side) {
				if l == line {
					n++
				}
			}
			most = max(most, n)
		}
		return most
	}
	seen := make(map[string]bool)
	var out []byte
	for line := range bytes.Lines(text) {
		l := string(bytes.TrimRight(line, "\r\n"))
		if !seen[l] || count(l) != 1 {
			out = append(out, line...)
		}
		seen[l] = true
	}
	return out
}

func linesOf(text []byte) (lines []string) {
	for line := range bytes.Lines(text) {
		lines = append(lines, string(bytes.TrimRight(line, "\r\n")))
	}
	return lines
}
