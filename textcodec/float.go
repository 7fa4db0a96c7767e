package textcodec

import (
	"math"
	"math/bits"
	"strconv"
)

// A float is written as its decimal with six places and its bits. strconv gets
// the six places right for every value, but slowly: it works with as many
// digits as the exact value has. The ways around it here are exact too.

const (
	scale = 1e6 // six places
	// fixedLimit bounds the numbers of millionths that are worked with as
	// integers: each is a float64 exactly, and so is each half between them.
	fixedLimit = 1e15
)

const (
	nan32, inf32 = 0x7fc00000, 0x7f800000
	nan64, inf64 = 0x7ff8000000000000, 0x7ff0000000000000
)

// appendF32 appends an f32's line.
func appendF32(dst []byte, b uint32) []byte {
	if n, ok := millionths32(b); ok {
		dst = appendMillionths(dst, b>>31 != 0, n)
	} else {
		dst = appendDecimal(dst, float64(math.Float32frombits(b)), b>>31 != 0)
	}
	return appendBits(dst, uint64(b))
}

// appendF64 appends an f64's line.
func appendF64(dst []byte, b uint64) []byte {
	if n, ok := millionths64(b); ok {
		dst = appendMillionths(dst, b>>63 != 0, n)
	} else {
		dst = appendDecimal(dst, math.Float64frombits(b), b>>63 != 0)
	}
	return appendBits(dst, b)
}

// appendDecimal appends %f of what has too many digits for the short way, or
// none.
func appendDecimal(dst []byte, f float64, negative bool) []byte {
	word := "nan"
	switch {
	case math.IsInf(f, 0):
		word = "inf"
	case f == f:
		return strconv.AppendFloat(dst, f, 'f', 6, 64)
	}
	if negative {
		dst = append(dst, '-')
	}
	return append(dst, word...)
}

// millionths32 returns how many millionths an f32 is without its sign, to the
// nearest even. The product is exact: 24 bits of fraction by the 14 bits of
// the odd part of a million.
func millionths32(b uint32) (n uint64, ok bool) {
	product := float64(math.Abs(float64(math.Float32frombits(b))) * scale)
	if !(product < fixedLimit) {
		return 0, false
	}
	return uint64(math.RoundToEven(product)), true
}

// millionths64 is millionths32 for an f64. The product may be rounded; the
// fused multiply-add gives exactly by how much. That matters only where the
// rounded product is halfway between two integers, since elsewhere halfway is
// at least one of its own last places away.
func millionths64(b uint64) (n uint64, ok bool) {
	f := math.Abs(math.Float64frombits(b))
	product := float64(f * scale) // the conversion keeps processors that could from not rounding
	if !(product < fixedLimit) {
		return 0, false
	}
	if f < 1e-7 { // where the error itself might be too small to hold
		return 0, true
	}
	rest := math.FMA(f, scale, -product)
	rounded := math.RoundToEven(product)
	switch off := product - rounded; {
	case off == 0.5 && rest > 0:
		rounded++
	case off == -0.5 && rest < 0:
		rounded--
	}
	return uint64(rounded), true
}

// appendMillionths appends n millionths as a decimal with six places.
func appendMillionths(dst []byte, negative bool, n uint64) []byte {
	if negative {
		dst = append(dst, '-')
	}
	whole := n / scale
	rest := uint32(n - whole*scale)
	dst = strconv.AppendUint(dst, whole, 10)
	a, b, c := rest/10000, rest/100%100, rest%100
	return append(dst, '.', byte('0'+a/10), byte('0'+a%10), byte('0'+b/10), byte('0'+b%10), byte('0'+c/10), byte('0'+c%10))
}

// appendBits appends a float's bits in hex without leading zeros.
func appendBits(dst []byte, b uint64) []byte {
	dst = append(dst, " : "...)
	for shift := (bits.Len64(b|1) - 1) &^ 3; shift >= 0; shift -= 4 {
		dst = append(dst, lowerHex[b>>shift&15])
	}
	return dst
}
