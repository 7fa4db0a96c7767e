package filemerge

import (
	"bytes"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// MergeLines merges texts line by line, and reports whether there is no conflict.
func MergeLines(base, ours, theirs []byte) (merged []byte, clean bool) {
	b, o, t := bytes.SplitAfter(base, []byte("\n")), bytes.SplitAfter(ours, []byte("\n")), bytes.SplitAfter(theirs, []byte("\n"))
	for _, c := range sequence.Merge(keys(b), keys(o), keys(t)) {
		switch c.Origin {
		case sequence.Conflict:
			return nil, false
		case sequence.Theirs:
			merged = append(merged, bytes.Join(t[c.Theirs.From:c.Theirs.To], nil)...)
		default:
			merged = append(merged, bytes.Join(o[c.Ours.From:c.Ours.To], nil)...)
		}
	}
	return merged, true
}

func keys(lines [][]byte) (keys []string) {
	for _, line := range lines {
		keys = append(keys, string(line))
	}
	return keys
}
