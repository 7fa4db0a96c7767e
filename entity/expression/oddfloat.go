package expression

import (
	"errors"
	"math"
)

// The NaN that expressions compute, whatever bits the processor gives it.
const (
	computedNaN32 = 0x7fc00000
	computedNaN64 = 0x7ff8000000000000
)

// oddFloat is a NaN that a field holds, with its bits as an f64 has them: in
// calculations it is NaN, and where it is only copied it stays what it is. A
// processor would make a quiet one of each signalling one on its way from f32
// to f64.
type oddFloat uint64

// String returns what a float prints that is NaN.
func (oddFloat) String() string { return "NaN" }

// MarshalJSON refuses: JSON has no NaN.
func (oddFloat) MarshalJSON() ([]byte, error) { return nil, errors.New("JSON has no NaN") }

// plainF32 returns an f32 of these bits as the language has it.
func plainF32(bits uint32) any {
	if bits&(1<<31-1) <= 0xff<<23 {
		return float64(math.Float32frombits(bits))
	}
	sign, payload := uint64(bits>>31), uint64(bits&(1<<23-1))
	return oddFloat(sign<<63 | 0x7ff<<52 | payload<<29)
}

// plainF64 returns an f64 of these bits as the language has it.
func plainF64(bits uint64) any {
	if bits&(1<<63-1) <= 0x7ff<<52 {
		return math.Float64frombits(bits)
	}
	return oddFloat(bits)
}

// f32 returns the NaN as an f32: its own bits if it came from one, the computed
// NaN where its payload does not fit.
func (o oddFloat) f32() uint32 {
	sign, payload := uint32(o>>63), uint64(o)&(1<<52-1)
	if payload&(1<<29-1) != 0 {
		return computedNaN32
	}
	return sign<<31 | 0xff<<23 | uint32(payload>>29)
}

// bits32 returns the bits of a computed number as an f32, rounded once.
func bits32(f float64) uint32 {
	if math.IsNaN(f) {
		return computedNaN32
	}
	return math.Float32bits(float32(f))
}

// bits64 returns the bits of a computed number as an f64.
func bits64(f float64) uint64 {
	if math.IsNaN(f) {
		return computedNaN64
	}
	return math.Float64bits(f)
}
