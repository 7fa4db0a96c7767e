package textcodec

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// Readable returns a text as people compare it, line by line: a float in the fewest
// digits that stand for it, without its bits, and the first line with the entity's ID and
// name. Two texts that differ do so still; what is not written as Append writes it stays
// as it is. It needs no types, and is no text of an entity.
func Readable(text []byte) []byte {
	out := make([]byte, 0, len(text))
	title := titleOf(text)
	for line := range bytes.Lines(text) {
		body := bytes.TrimSuffix(line, []byte("\n"))
		if title != "" {
			out, title = append(out, title...), ""
		} else {
			out = appendReadable(out, body)
		}
		out = append(out, line[len(body):]...)
	}
	return out
}

// titleOf returns a text's first line with the entity's ID and name, "" where that is not
// its type.
func titleOf(text []byte) string {
	typ, _, id, err := Header(text)
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || string(line) != string(appendName(nil, typ)) {
		return ""
	}
	title := fmt.Sprintf("%s %d", line, id)
	for _, field := range []string{"; entity_name", "; name"} {
		_, after, found := bytes.Cut(rest, []byte("\n"+field+"\n"))
		value, _, _ := bytes.Cut(after, []byte("\n"))
		if value = bytes.TrimLeft(value, " "); found && len(value) > 2 && value[0] == '"' {
			return title + " " + string(value)
		}
	}
	return title
}

// appendReadable appends a line. That of a float is the one that is written for its bits.
func appendReadable(dst, line []byte) []byte {
	value := bytes.TrimLeft(line, " ")
	_, hex, ok := bytes.Cut(value, []byte(" : "))
	if !ok {
		return append(dst, line...)
	}
	b, err := strconv.ParseUint(string(hex), 16, 64)
	if err != nil {
		return append(dst, line...)
	}
	f, size := float64(math.Float32frombits(uint32(b))), 32
	if b > math.MaxUint32 || !bytes.Equal(appendF32(nil, uint32(b)), value) {
		if f, size = math.Float64frombits(b), 64; !bytes.Equal(appendF64(nil, b), value) {
			return append(dst, line...)
		}
	}
	if math.IsNaN(f) {
		return append(dst, line...) // of which there are many
	}
	dst = append(dst, line[:len(line)-len(value)]...)
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e15) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, size)
}
