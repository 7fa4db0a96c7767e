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

// Unmerged returns two texts as one conflict, of which nothing is merged, marked as
// ByGitInto marks it.
func Unmerged(ours, theirs []byte, markerSize int) []byte {
	var out bytes.Buffer
	line := func(mark, label string) { out.WriteString(strings.Repeat(mark, markerSize) + label + "\n") }
	text := func(data []byte) {
		out.Write(data)
		if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	line("<", " our side")
	text(ours)
	line("=", "")
	text(theirs)
	line(">", " their side")
	return out.Bytes()
}
