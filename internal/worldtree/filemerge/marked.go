package filemerge

import (
	"bytes"

	"github.com/worldfs/worldfs/internal/compare/textmerge"
)

// IsMarked reports whether a text is what version control can have made of three line by line,
// by whatever algorithm and in whatever style: its markers are complete, what stands in a field
// without one is a side's or comes of both, and in one with markers no line is of no side.
func IsMarked(sides [3][]byte, text []byte) bool {
	marked, ok := textmerge.Unmark(text)
	if !ok {
		return false
	}
	fields := [3]map[string][]byte{fieldsOf(sides[0]), fieldsOf(sides[1]), fieldsOf(sides[2])}
	if !haveSame(fields) { // git may have put lines of one field in another
		return isMergedOf(sides, marked[0], false) && isMergedOf(sides, marked[1], false)
	}
	first, second := fieldsOf(marked[0]), fieldsOf(marked[1])
	for name := range fields[0] {
		of := [3][]byte{fields[0][name], fields[1][name], fields[2][name]}
		exact := bytes.Equal(first[name], second[name])
		if first[name] == nil || second[name] == nil || !isMergedOf(of, first[name], exact) || !isMergedOf(of, second[name], exact) {
			return false
		}
	}
	return len(first) == len(fields[0]) && len(second) == len(fields[0])
}

// haveSame reports whether all sides have the same fields.
func haveSame(sides [3]map[string][]byte) bool {
	for name := range sides[0] {
		if sides[1][name] == nil || sides[2][name] == nil {
			return false
		}
	}
	return len(sides[1]) == len(sides[0]) && len(sides[2]) == len(sides[0])
}

// isMergedOf reports whether lines can be what comes of three; exact says that they have no
// conflict.
func isMergedOf(sides [3][]byte, lines []byte, exact bool) bool {
	if bytes.Equal(lines, sides[1]) || bytes.Equal(lines, sides[2]) {
		return true
	}
	if merged, clean := MergeLines(sides[0], sides[1], sides[2]); exact && clean {
		return bytes.Equal(lines, merged)
	}
	of := make(map[string]bool)
	for _, side := range sides {
		for line := range bytes.Lines(side) {
			of[string(line)] = true
		}
	}
	for line := range bytes.Lines(lines) {
		if !of[string(line)] {
			return false
		}
	}
	return true
}

// HasOwnLine reports whether a text has a line in a field that none of others has there.
func HasOwnLine(field string, text []byte, others [][]byte) bool {
	const begin = "; "
	of := make(map[string]bool)
	for _, other := range others {
		for line := range bytes.Lines(fieldsOf(other)[begin+field+"\n"]) {
			of[string(line)] = true
		}
	}
	for line := range bytes.Lines(fieldsOf(text)[begin+field+"\n"]) {
		if !of[string(line)] {
			return true
		}
	}
	return false
}

// fieldsOf returns the lines of each field of an entity's text, its own included, and those
// above the first as "".
func fieldsOf(text []byte) map[string][]byte {
	fields := make(map[string][]byte)
	name := ""
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("; ")) {
			name = string(line)
		}
		fields[name] = append(fields[name], line...)
	}
	return fields
}
