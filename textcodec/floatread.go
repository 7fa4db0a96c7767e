package textcodec

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
)

// maxDecimal is the longest decimal that is read: far beyond the 1,384
// characters that the longest exact f64 has, and short enough that exact
// arithmetic on it costs nothing to speak of.
const maxDecimal = 4096

// decimal is the left side of a float's line.
type decimal struct {
	text     []byte // as strconv reads it; nil for a word
	nan, inf bool
	negative bool
	digits   []byte // the digits as written, with the point still in
	places   int    // the last digit stands for 10^-places
	n        uint64 // the digits as a number, where short
	short    bool
}

// parseDecimal reads a decimal as people and C runtimes write them.
func parseDecimal(text []byte) (d decimal, ok bool) {
	d.text = text
	rest := text
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	if d.nan = isWord(rest, "nan"); d.nan {
		return d, true
	}
	if d.inf = isWord(rest, "inf") || isWord(rest, "infinity"); d.inf {
		return d, true
	}
	if len(text) > maxDecimal {
		return d, false
	}
	end, count, point := 0, 0, -1
	for ; end < len(rest); end++ {
		if c := rest[end]; '0' <= c && c <= '9' {
			count++
			d.n = d.n*10 + uint64(c-'0')
		} else if c == '.' && point < 0 {
			point = end
		} else {
			break
		}
	}
	d.digits, d.short = rest[:end], count <= 18
	if point >= 0 {
		d.places = end - point - 1
	}
	return d, count > 0 && d.exponent(rest[end:])
}

func isWord(text []byte, word string) bool {
	return len(text) == len(word) && bytes.EqualFold(text, []byte(word))
}

// exponent reads what stands after the digits: nothing, or e and a number.
func (d *decimal) exponent(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return false
	}
	text = text[1:]
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	if len(text) == 0 {
		return false
	}
	e := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
		e = min(e*10+int(c-'0'), 1<<20) // beyond all that a float can be
	}
	if negative {
		e = -e
	}
	d.places -= e
	return true
}

// parseBits reads the right side of a float's line.
func parseBits(text []byte, width int) (b uint64, ok bool) {
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	if len(text) == 0 || len(text) > width/4 {
		return 0, false
	}
	for _, c := range text {
		d := hexDigits[c]
		if d == 0xff {
			return 0, false
		}
		b = b<<4 | uint64(d)
	}
	return b, true
}

// parseFloat reads a float's line: the bits of an f32 or f64, by width. Edited
// says that the decimal was changed by a person and counts. The reason is ""
// if all went well.
func parseFloat(line []byte, width int) (b uint64, edited bool, reason string) {
	left, right := line, []byte(nil)
	colon := bytes.IndexByte(line, ':')
	if colon >= 0 {
		left, right = bytes.TrimRight(line[:colon], blank), bytes.TrimLeft(line[colon+1:], blank)
	}
	d, ok := parseDecimal(left)
	if !ok {
		return 0, false, clip(left) + " is no decimal number"
	}
	if colon >= 0 {
		b, ok = parseBits(right, width)
		if !ok {
			return 0, false, clip(right) + " is not the " + strconv.Itoa(width) + " bits of a float in hex; to give the decimal alone, take it away with its colon"
		}
		if d.agrees(b, width) {
			return b, false, ""
		}
	}
	b, ok = d.bits(width)
	if !ok {
		return 0, false, clip(left) + " is beyond the range of f" + strconv.Itoa(width)
	}
	return b, colon >= 0, ""
}

// bits returns the bits of the float nearest to the decimal.
func (d *decimal) bits(width int) (b uint64, ok bool) {
	switch {
	case d.nan && width == 32:
		return sign(nan32, d.negative, 32), true
	case d.nan:
		return sign(nan64, d.negative, 64), true
	case d.inf && width == 32:
		return sign(inf32, d.negative, 32), true
	case d.inf:
		return sign(inf64, d.negative, 64), true
	}
	f, err := strconv.ParseFloat(string(d.text), width)
	if err != nil {
		return 0, false
	}
	if width == 32 {
		return uint64(math.Float32bits(float32(f))), true
	}
	return math.Float64bits(f), true
}

func sign(b uint64, negative bool, width int) uint64 {
	if negative {
		b |= 1 << (width - 1)
	}
	return b
}

// agrees reports whether the decimal is what those bits are, rounded to the
// digits written, ties either way.
func (d *decimal) agrees(b uint64, width int) bool {
	f := math.Float64frombits(b)
	if width == 32 {
		f = float64(math.Float32frombits(uint32(b)))
	}
	switch {
	case f != f || d.nan:
		return f != f && d.nan
	case math.IsInf(f, 0) || d.inf:
		return math.IsInf(f, 0) && d.inf && (f < 0) == d.negative
	}
	if d.places == 6 && d.short && d.n < fixedLimit {
		if agrees, sure := d.agreesQuickly(f); sure {
			return agrees
		}
	}
	return d.agreesExactly(f)
}

// agreesQuickly compares in float64, where six places are written. It is sure
// unless the difference is about half a place: product and difference are each
// off by far less than the margin.
func (d *decimal) agreesQuickly(f float64) (agrees, sure bool) {
	const margin, limit = 1e-3, 1 << 40
	n := float64(d.n)
	if d.negative {
		n = -n
	}
	product := float64(f * scale)
	if math.Abs(product) > limit {
		return false, false
	}
	difference := math.Abs(product - n)
	return difference < 0.5, math.Abs(difference-0.5) > margin
}

// agreesExactly compares |f - n·10^-places| with half of 10^-places, all
// multiplied by what makes them integers.
func (d *decimal) agreesExactly(f float64) bool {
	n := new(big.Int)
	n.SetString(string(bytes.Replace(d.digits, []byte("."), nil, 1)), 10)
	// The smallest f64 above 0 has 1,074 places, the largest 309 digits. A
	// decimal written to a place far outside of these is near a float only if
	// both are 0, or if the place is so high that it swallows every float.
	switch {
	case d.places < -400:
		return n.Sign() == 0
	case d.places > 1100+maxDecimal:
		return n.Sign() == 0 && f == 0
	}
	if d.negative {
		n.Neg(n)
	}
	exact := new(big.Rat).SetFloat64(f)
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.places, -d.places))), nil))
	if d.places < 0 {
		power.Inv(power)
	}
	difference := exact.Mul(exact, power)
	difference.Sub(difference, new(big.Rat).SetInt(n))
	return difference.Abs(difference).Cmp(big.NewRat(1, 2)) <= 0
}
