package idrange

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Text returns the range as a line of a file, without its end.
func (r Range) Text() string {
	text := fmt.Sprintf("%9d %9d %s", r.From, r.To, strings.Join(r.Keys, " "))
	if r.Disposable {
		text += " disposable"
	}
	if r.Comment != "" {
		text += " #" + r.Comment
	}
	return text
}

// Append returns a file with one more range as its last line. What is there stays as it
// is, but that a last line without an end gets one.
func Append(data []byte, r Range) []byte {
	end := lineEnd(data)
	out := bytes.Clone(data)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, end...)
	}
	return append(append(out, r.Text()...), end...)
}

// Replace returns a file whose line r.Line says what r says. Its other lines stay as they are.
func Replace(data []byte, r Range) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if r.Line < 1 || r.Line > len(lines) {
		return bytes.Clone(data)
	}
	old := lines[r.Line-1]
	lines[r.Line-1] = append([]byte(r.Text()), old[len(bytes.TrimRight(old, "\r\n")):]...)
	return bytes.Join(lines, nil)
}

// lineEnd returns how the lines of a file end: as the first one does.
func lineEnd(data []byte) string {
	if first, _, ok := bytes.Cut(data, []byte("\n")); ok && bytes.HasSuffix(first, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// ErrFull says that no range of the size is free.
var ErrFull = errors.New("no range of that many IDs is free")

// step is what a new range begins at a multiple of, since people read the file.
const step = 1000

// Free returns where the next range of size IDs begins: above the end of every range and
// above highest, the highest ID in use, 0 for none. Where there is no room above them it
// is the lowest room between ranges in which isUsed reports no ID. The error is ErrFull.
func Free(ranges []Range, highest uint64, size uint64, isUsed func(from, to uint64) bool) (from uint64, err error) {
	end := highest + 1
	for _, r := range ranges {
		end = max(end, r.To)
	}
	if from = roundUp(end); from+size <= maxID {
		return from, nil
	}
	from = step
	for _, r := range append(sorted(ranges), Range{From: maxID, To: maxID}) {
		for ; from+size <= r.From; from += step {
			if !isUsed(from, from+size) {
				return from, nil
			}
		}
		from = max(from, roundUp(r.To))
	}
	return 0, ErrFull
}

func roundUp(id uint64) uint64 { return (max(id, 1) + step - 1) / step * step }

// Remove returns a file without a line.
func Remove(data []byte, line int) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if line < 1 || line > len(lines) {
		return bytes.Clone(data)
	}
	return bytes.Join(append(lines[:line-1:line-1], lines[line:]...), nil)
}
