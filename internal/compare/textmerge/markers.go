package textmerge

import (
	"bytes"
	"strings"
)

// HasMarkers reports whether a text has a line that begins a conflict, as git and
// worldfs mark them.
func HasMarkers(text []byte) bool {
	marker := []byte("<<<<<<< ")
	return bytes.HasPrefix(text, marker) || bytes.Contains(text, append([]byte("\n"), marker...))
}

// MarkerSize is how long git's markers are where no attribute says otherwise.
const MarkerSize = 7

// Unmerged returns two texts as one conflict, of which nothing is merged, marked as
// ByGitInto marks it.
func Unmerged(ours, theirs []byte, names [2]string, markerSize int) []byte {
	var out bytes.Buffer
	line := func(mark, label string) { out.WriteString(strings.Repeat(mark, markerSize) + label + "\n") }
	text := func(data []byte) {
		out.Write(data)
		if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	line("<", " "+names[0])
	text(ours)
	line("=", "")
	text(theirs)
	line(">", " "+names[1])
	return out.Bytes()
}

// Unmark returns a text with each conflict settled for ours, and for theirs; ok is false where
// a marker lacks its others. Of conflicts in conflicts, whose markers git makes longer, those
// within are lines as others are.
func Unmark(text []byte) (sides [2][]byte, ok bool) {
	const (
		outside = iota
		inOurs
		inBase
		inTheirs
	)
	at := outside
	for line := range bytes.Lines(text) {
		mark := func(c byte) bool { return isMarker(line, c) }
		switch {
		case at == outside && mark('<'):
			at = inOurs
		case at == inOurs && mark('|'):
			at = inBase
		case (at == inOurs || at == inBase) && mark('='):
			at = inTheirs
		case at == inTheirs && mark('>'):
			at = outside
		case mark('<') || mark('>'):
			return sides, false
		default:
			if at == outside || at == inOurs {
				sides[0] = append(sides[0], line...)
			}
			if at == outside || at == inTheirs {
				sides[1] = append(sides[1], line...)
			}
		}
	}
	return sides, at == outside
}

// isMarker reports whether a line is a marker of a character: just so many of it.
func isMarker(line []byte, c byte) bool {
	rest := bytes.TrimLeft(line, string(c))
	return len(line)-len(rest) == MarkerSize
}

// WithoutLabels returns a text whose markers say nothing but that they are markers: what
// they call the sides depends on the build that wrote them, and is nothing that a person edits.
func WithoutLabels(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		for _, mark := range []string{"<<<<<<<", "|||||||", ">>>>>>>"} {
			if bytes.HasPrefix(line, []byte(mark+" ")) {
				line = []byte(mark + "\n")
			}
		}
		out = append(out, line...)
	}
	return out
}
