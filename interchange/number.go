package interchange

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExact is the largest integer below which every reader of JSON, those that
// hold numbers as f64 too, has integers exact. Larger ones are strings.
const maxExact = 1 << 53

// The quiet NaN without a payload, which is written "nan".
const (
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

func appendInt(dst []byte, i int64) []byte {
	if i < -maxExact || i > maxExact {
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, i, 10)
		return append(dst, '"')
	}
	return strconv.AppendInt(dst, i, 10)
}

func appendUint(dst []byte, u uint64) []byte {
	if u > maxExact {
		dst = append(dst, '"')
		dst = strconv.AppendUint(dst, u, 10)
		return append(dst, '"')
	}
	return strconv.AppendUint(dst, u, 10)
}

func appendF32(dst []byte, bits uint32) []byte {
	f := math.Float32frombits(bits)
	if f != f && bits != nan32 {
		return appendBits(dst, uint64(bits), 8)
	}
	return appendFloat(dst, float64(f), 32)
}

func appendF64(dst []byte, bits uint64) []byte {
	f := math.Float64frombits(bits)
	if f != f && bits != nan64 {
		return appendBits(dst, bits, 16)
	}
	return appendFloat(dst, f, 64)
}

func appendFloat(dst []byte, f float64, size int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"nan"`...)
	case math.IsInf(f, 1):
		return append(dst, `"inf"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-inf"`...)
	}
	return jsontext.AppendFloat(dst, f, size)
}

// appendBits writes a float by its bits, in so many digits.
func appendBits(dst []byte, bits uint64, digits int) []byte {
	dst = append(dst, `"0x`...)
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, "0123456789abcdef"[bits>>(4*i)&15])
	}
	return append(dst, '"')
}

// parseFloat reads the text of a JSON number as a float of that size, rounded
// once, and returns its bits.
func parseFloat(number string, size int) (bits uint64, reason string) {
	f, err := strconv.ParseFloat(number, size)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "the number " + clip(number) + " is beyond the range of f" + strconv.Itoa(size)
	case err != nil:
		return 0, clip(number) + " is no number"
	case size == 32:
		return uint64(math.Float32bits(float32(f))), ""
	}
	return math.Float64bits(f), ""
}

// parseOddFloat reads what a float is written as when JSON has no number for
// it.
func parseOddFloat(s string, size int) (bits uint64, reason string) {
	inf := math.Inf(1)
	switch s {
	case "nan":
		if size == 32 {
			return nan32, ""
		}
		return nan64, ""
	case "inf", "-inf":
		if s[0] == '-' {
			inf = -inf
		}
		if size == 32 {
			return uint64(math.Float32bits(float32(inf))), ""
		}
		return math.Float64bits(inf), ""
	}
	if digits, ok := strings.CutPrefix(s, "0x"); ok && len(digits) == size/4 {
		if b, err := strconv.ParseUint(digits, 16, 64); err == nil {
			return b, ""
		}
	}
	return 0, "the string " + quote(s) + ` is no f` + strconv.Itoa(size) +
		`; a number, "nan", "inf", "-inf" or "0x" and ` + strconv.Itoa(size/4) + " hexadecimal digits are"
}

// plainInteger brings the text of a JSON number into digits with no fraction
// or exponent: 5.0 and 1e3 are integers too. It fails where there is a
// fraction or where no kind could hold the number.
func plainInteger(number []byte) (digits []byte, reason string) {
	if !bytes.ContainsAny(number, ".eE") {
		return number, ""
	}
	mantissa, exponent := number, 0
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		// An exponent too large for an int comes back as the largest, which is
		// beyond every range just as well.
		exponent, _ = strconv.Atoi(string(number[i+1:]))
		mantissa = number[:i]
	}
	negative := bytes.HasPrefix(mantissa, []byte("-"))
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte("-")), []byte("."))
	all := append(append(make([]byte, 0, len(mantissa)+20), whole...), fraction...)
	significant := bytes.TrimRight(all, "0")
	if len(bytes.TrimLeft(significant, "0")) == 0 {
		return []byte("0"), ""
	}
	exponent = max(min(exponent, math.MaxInt32), math.MinInt32) - len(fraction) + len(all) - len(significant)
	significant = bytes.TrimLeft(significant, "0")
	switch {
	case exponent < 0:
		return nil, "the number " + clip(string(number)) + " is no integer"
	case len(significant)+exponent > 20:
		return nil, "the number " + clip(string(number)) + " is beyond the range of 64 bits"
	}
	for range exponent {
		significant = append(significant, '0')
	}
	if negative {
		significant = append([]byte("-"), significant...)
	}
	return significant, ""
}

// isInteger reports whether s is digits with at most a minus before them.
func isInteger(s []byte) bool {
	s = bytes.TrimPrefix(s, []byte("-"))
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// parseGUID reads 8-4-4-4-12 hexadecimal digits.
func parseGUID(s string) (g [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return g, false
	}
	digits := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	_, err := hex.Decode(g[:], []byte(digits))
	return g, err == nil
}

func appendGUID(dst []byte, g [16]byte) []byte {
	dst = append(dst, '"')
	for i, b := range g {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, []byte{b})
	}
	return append(dst, '"')
}
