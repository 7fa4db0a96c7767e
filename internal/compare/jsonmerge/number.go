package jsonmerge

import (
	"bytes"
	"strconv"
)

// appendNumber appends a number so that equal ones come out equal, however they are
// spelled: sign, digits without zeros around them, the exponent of the last. Digits
// are never rounded.
func appendNumber(dst, raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("+"))
	digits, exponent, ok := split(raw)
	if raw[0] == '-' {
		dst = append(dst, '-') // of 0 too, which is another number in binary
	}
	whole, fraction, _ := bytes.Cut(digits, []byte("."))
	start := len(dst)
	dst = append(append(dst, whole...), fraction...)
	significant := bytes.TrimLeft(dst[start:], "0")
	if len(significant) == 0 {
		return append(dst[:start], '0')
	}
	dst = append(dst[:start], significant...)
	n := len(bytes.TrimRight(dst[start:], "0"))
	zeros := len(dst) - start - n
	if !ok { // an exponent that no program takes: its spelling must do
		return append(append(dst, 'e'), raw...)
	}
	dst = append(dst[:start+n], 'e')
	return strconv.AppendInt(dst, exponent-int64(len(fraction))+int64(zeros), 10)
}

// split takes a number's spelling apart: the digits with their point, and the
// exponent. It returns false if that is beyond all measure.
func split(raw []byte) (digits []byte, exponent int64, ok bool) {
	digits = bytes.TrimPrefix(raw, []byte("-"))
	i := bytes.IndexAny(digits, "eE")
	if i < 0 {
		return digits, 0, true
	}
	const most = 1 << 60
	exponent, err := strconv.ParseInt(string(digits[i+1:]), 10, 64)
	return digits[:i], exponent, err == nil && -most < exponent && exponent < most
}
