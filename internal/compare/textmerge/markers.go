package textmerge

import "bytes"

// HasMarkers reports whether a text has a line that begins a conflict, as git and
// worldfs mark them.
func HasMarkers(text []byte) bool {
	marker := []byte("<<<<<<< ")
	return bytes.HasPrefix(text, marker) || bytes.Contains(text, append([]byte("\n"), marker...))
}
