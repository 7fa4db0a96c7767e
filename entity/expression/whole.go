package expression

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrOverflow is what becomes of a whole number that neither an i64 nor a u64
// holds. Expressions never wrap one round, nor make a float of it.
var ErrOverflow = errors.New("integer overflow")

// whole is a whole number from -2^63 to 2^64-1, as expressions have them: all
// that an i64 or a u64 holds. Zero is not negative.
type whole struct {
	negative bool
	size     uint64 // the number without its sign
}

// wholeOf returns a whole number of the language: an int where that holds it,
// else a uint64; a ref counts as its ID.
func wholeOf(x any) (whole, bool) {
	switch n := x.(type) {
	case int:
		return wholeInt(int64(n)), true
	case uint64:
		return whole{size: n}, true
	case reference:
		return whole{size: uint64(n)}, true
	case int64:
		return wholeInt(n), true
	case byte: // of a text
		return whole{size: uint64(n)}, true
	}
	return whole{}, false
}

func wholeInt(n int64) whole {
	if n < 0 {
		return whole{true, -uint64(n)}
	}
	return whole{size: uint64(n)}
}

// wholeFloat returns the whole number that f is, if it is one in range.
func wholeFloat(f float64) (whole, bool) {
	if f != math.Trunc(f) || f < -1<<63 || f >= 1<<64 {
		return whole{}, false // NaN is not itself, infinities are beyond
	}
	return whole{f < 0, uint64(math.Abs(f))}, true
}

// value returns w as the language has it.
func (w whole) value() any {
	i, ok := w.int64()
	switch {
	case !ok:
		return w.size
	case int64(int(i)) != i: // where an int has 32 bits
		return i
	}
	return int(i)
}

// int64 returns w if an i64 holds it.
func (w whole) int64() (int64, bool) {
	if w.negative {
		return -int64(w.size), w.size <= 1<<63
	}
	return int64(w.size), w.size <= math.MaxInt64
}

// uint64 returns w if a u64 holds it.
func (w whole) uint64() (uint64, bool) { return w.size, !w.negative }

// pattern returns w's 64 bits, in two's complement below zero.
func (w whole) pattern() uint64 {
	if w.negative {
		return -w.size
	}
	return w.size
}

func (w whole) float() float64 {
	if w.negative {
		return -float64(w.size)
	}
	return float64(w.size)
}

func (w whole) String() string {
	if w.negative {
		return fmt.Sprintf("-%d", w.size)
	}
	return fmt.Sprint(w.size)
}

// checked returns a number whose size has not wrapped, if it is in range.
func checked(negative bool, size uint64) (whole, bool) {
	w := whole{negative && size != 0, size}
	return w, !w.negative || size <= 1<<63
}

func (w whole) negated() (whole, bool) { return checked(!w.negative, w.size) }

func (w whole) plus(o whole) (whole, bool) {
	switch {
	case w.negative == o.negative:
		size, carry := bits.Add64(w.size, o.size, 0)
		sum, ok := checked(w.negative, size)
		return sum, ok && carry == 0
	case w.size >= o.size:
		return checked(w.negative, w.size-o.size)
	}
	return checked(o.negative, o.size-w.size)
}

func (w whole) minus(o whole) (whole, bool) {
	return w.plus(whole{!o.negative && o.size != 0, o.size}) // the middle one may be beyond, as -(2^64-1) is
}

func (w whole) times(o whole) (whole, bool) {
	high, size := bits.Mul64(w.size, o.size)
	product, ok := checked(w.negative != o.negative, size)
	return product, ok && high == 0
}

// dividedBy returns quotient and remainder, the first cut off towards zero, so
// that the second has w's sign. o is not zero.
func (w whole) dividedBy(o whole) (quotient, remainder whole, ok bool) {
	quotient, ok = checked(w.negative != o.negative, w.size/o.size)
	remainder, _ = checked(w.negative, w.size%o.size)
	return quotient, remainder, ok
}

// power returns w to the power of o, which is not negative.
func (w whole) power(o whole) (result whole, ok bool) {
	if w.size <= 1 && o.size > 2 {
		o.size = 2 - o.size%2 // 1, -1 and 0 go round
	}
	result = whole{size: 1}
	for range o.size { // at most 64 times: then it is beyond
		if result, ok = result.times(w); !ok {
			return result, false
		}
	}
	return result, true
}

// compare returns -1, 0 or 1 as w is less than o, equal, or greater.
func (w whole) compare(o whole) int {
	switch {
	case w == o:
		return 0
	case w.negative != o.negative:
		return sign(o.negative)
	}
	return sign(w.size > o.size != w.negative)
}

// compareFloat compares w with a float that is not NaN, exactly: not every
// whole number is a float.
func (w whole) compareFloat(f float64) int {
	down := math.Floor(f)
	o, ok := wholeFloat(down)
	if !ok {
		return sign(f < 0)
	}
	if c := w.compare(o); c != 0 || down == f {
		return c
	}
	return -1 // f is w and a fraction
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}
