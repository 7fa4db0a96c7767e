package textcodec

import (
	"bytes"
	"strings"
)

// markerLength is how often a conflict marker repeats its sign.
const markerLength = 7

// marker returns the sign of the conflict marker that the line is, or 0. Git's
// and Subversion's stand at the very beginning of their line, where canonical
// text has nothing like them.
func marker(line []byte) byte {
	line = bytes.TrimRight(line, blank)
	if !beginsLikeMarker(line) || len(line) > markerLength && line[markerLength] != ' ' && line[markerLength] != '\t' {
		return 0
	}
	return line[0]
}

// HasMarkers reports whether a text might have conflict markers in it.
func HasMarkers(text []byte) bool { return hasMarkers(bytes.TrimPrefix(text, byteOrderMark)) }

// hasMarkers reports whether a text might have conflict markers in it.
func hasMarkers(text []byte) bool {
	if beginsLikeMarker(text) {
		return true
	}
	for _, m := range [...]string{"\n<<<<<<<", "\n|||||||", "\n=======", "\n>>>>>>>"} {
		if bytes.Contains(text, []byte(m)) {
			return true
		}
	}
	return false
}

// oneSide is a text with one side of every conflict in it.
type oneSide struct {
	text      []byte
	numbers   []int // the number in the file of each line of text
	conflicts []conflictStart
}

// conflictStart is where a conflict begins.
type conflictStart struct {
	line  int    // of the file
	about string // what its marker says that it is about, beside the side; "" for the lines in it
}

// The sides of a conflict, by the marker that comes before their lines.
const (
	ourSide   = '<'
	theirSide = '='
)

// takeSide reads one side of every conflict.
func takeSide(text []byte, side byte) (o oneSide, err error) {
	o.text = make([]byte, 0, len(text))
	in := byte(0) // the marker last passed; 0 outside of conflicts
	for number := 1; len(text) > 0; number++ {
		line := text
		if n := bytes.IndexByte(text, '\n'); n >= 0 {
			line = text[:n+1]
		}
		text = text[len(line):]
		sign := marker(bytes.TrimSuffix(line, []byte("\n")))
		switch {
		case sign == 0 && (in == 0 || in == side):
			o.text = append(o.text, line...)
			o.numbers = append(o.numbers, number)
		case sign == 0: // the base, or the other side
		case !follows(in, sign):
			return o, &Error{Line: number, Reason: "the conflict marker " + clip(line[:markerLength]) + " stands where none can; mend the markers, or keep one side's lines and take them out"}
		case sign == '<':
			_, about, _ := strings.Cut(string(bytes.TrimSpace(line[markerLength:])), aboutWhole)
			o.conflicts = append(o.conflicts, conflictStart{number, about})
			in = sign
		case sign == '>':
			in = 0
		default:
			in = sign
		}
	}
	if in != 0 {
		return o, &Error{Line: o.conflicts[len(o.conflicts)-1].line, Reason: "the conflict that begins here has no end; mend the markers, or keep one side's lines and take them out"}
	}
	return o, nil
}

// follows reports whether the marker may come after the one before it.
func follows(before, sign byte) bool {
	switch sign {
	case '<':
		return before == 0
	case '|':
		return before == '<'
	case '=':
		return before == '<' || before == '|'
	}
	return before == '='
}
