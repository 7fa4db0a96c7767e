package worlddir

import (
	"bytes"
	"slices"
)

// isMarkedAnew reports whether a change has left conflicts in a file that had none: no
// person does.
func (c PlainChange) isMarkedAnew() bool {
	return len(conflictsIn(c.Text)) > 0 && len(conflictsIn(c.Was())) == 0
}

// isEditAmidMarks reports whether a file had conflicts, and the change has marked no others: a
// person has settled some of them, or edited something besides.
func (c PlainChange) isEditAmidMarks() bool {
	before := conflictsIn(c.Was())
	return len(before) > 0 && !slices.ContainsFunc(conflictsIn(c.Text), func(line string) bool { return !slices.Contains(before, line) })
}

// conflictsIn returns the lines at which conflicts begin that are marked in a text.
func conflictsIn(text []byte) (lines []string) {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("<<<<<<<")) {
			lines = append(lines, string(bytes.TrimRight(line, "\r\n")))
		}
	}
	return lines
}
