package portable

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

var ones = map[string][2]func(float64) float64{
	"sin": {Sin, math.Sin}, "cos": {Cos, math.Cos}, "tan": {Tan, math.Tan}, "asin": {Asin, math.Asin}, "acos": {Acos, math.Acos},
	"atan": {Atan, math.Atan}, "exp": {Exp, math.Exp}, "log": {Log, math.Log},
	"radians": {Radians, func(x float64) float64 { return x * math.Pi / 180 }}, "degrees": {Degrees, func(x float64) float64 { return x * 180 / math.Pi }},
}

var twos = map[string][2]func(x, y float64) float64{
	"atan2": {Atan2, math.Atan2}, "pow": {Pow, math.Pow}, "hypot": {Hypot, math.Hypot},
}

// near compares with the library of mathematics, which rounds otherwise. Where a function is almost
// 0 that makes something else of its last places.
func near(t assert.TestingT, of string, got, want float64) {
	switch {
	case math.IsNaN(want):
		assert.True(t, math.IsNaN(got), "%s: %v, not NaN", of, got)
	case want == 0 && math.Abs(got) <= 2*math.SmallestNonzeroFloat64: // where math gives up, on arm64
	case math.IsInf(want, 0) || want == 0:
		assert.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s: %v, not %v", of, got, want)
	default:
		apart := max(float64(1e-13*math.Abs(want)), 2*math.SmallestNonzeroFloat64) // math.Pow is as far off
		if strings.Contains("sin cos tan acos", of[:3]) {
			apart += 1e-15 * (1 + float64(want*want))
		}
		assert.LessOrEqual(t, math.Abs(got-want), apart, "%s: %v, not %v", of, got, want)
	}
}

var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -1.5, 2, -2, 3, -3, math.Inf(1), math.Inf(-1), math.NaN(), 0.7, 0.66, math.Pi, -math.Pi / 2,
	math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 29, 1e22, -1e300, 1e-300, 709, 709.8, -745, -746, 1 << 53, 1<<53 + 2, 1e19, -1e19,
}

func isSubnormal(x float64) bool { return math.Abs(x) < 0x1p-1022 && x != 0 }

func TestTheyAreWhatMathHas(t *testing.T) {
	for name, f := range ones {
		for _, x := range specials {
			if name != "log" || !isSubnormal(x) {
				near(t, fmt.Sprintf("%s(%v)", name, x), f[0](x), f[1](x))
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			x := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.Float64Range(-1000, 1000), rapid.Float64Min(1e-307)).Draw(t, "x")
			near(t, name, f[0](x), f[1](x))
		})
	}
	for name, f := range twos {
		for _, x := range specials {
			for _, y := range specials {
				if name != "pow" || !isSubnormal(x) {
					near(t, fmt.Sprintf("%s(%v, %v)", name, x, y), f[0](x, y), f[1](x, y))
				}
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			numbers := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.Float64Range(-50, 50), rapid.Float64Min(1e-307))
			x, y := numbers.Draw(t, "x"), numbers.Draw(t, "y")
			near(t, name, f[0](x, y), f[1](x, y))
		})
	}
}

// On amd64 those of math are infinite, and the logarithm of 2^-1022.
func TestTheyReachAsFarAsNumbersDo(t *testing.T) {
	assert.InEpsilon(t, 1.6549840276802644e+308, Exp(709.7), 1e-15)
	assert.InEpsilon(t, -744.4400719213812, Log(math.SmallestNonzeroFloat64), 1e-15)
}

// The sums are of the bits on amd64: scripts/arm64.sh has arm64 compare its own with them.
func TestTheBitsAreTheSameEverywhere(t *testing.T) {
	for name, want := range map[string]uint64{
		"sin":     0x11ca32da237f155d,
		"cos":     0xd93b646008d565fc,
		"tan":     0x3bd4f9846e55e8df,
		"asin":    0x8785dba338cb6157,
		"acos":    0x80500785077fe5d1,
		"atan":    0x25f394d733bf9e9c,
		"exp":     0xf5b423b823d8b8b7,
		"log":     0x99004f036b17e245,
		"radians": 0xb3d2344fa3d360b3,
		"degrees": 0x3714f7022ed145fe,
		"atan2":   0xf1d3dab35e0a681d,
		"pow":     0xc3b3046cfd196064,
		"hypot":   0xdcb2d7b4562cd1ff,
	} {
		r := rand.New(rand.NewPCG(1, 2)) // which calculates with whole numbers
		sum := fnv.New64a()
		for range 20000 {
			x, y := math.Ldexp(float64(r.Int64N(1<<54)-1<<53), r.IntN(8)-54), math.Ldexp(float64(r.Int64N(1<<54)-1<<53), r.IntN(12)-54)
			f := 0.0
			if one, ok := ones[name]; ok {
				f = one[0](x)
			} else {
				f = twos[name][0](math.Abs(x), y)
			}
			if math.IsNaN(f) {
				f = 0
			}
			fmt.Fprintf(sum, "%x ", math.Float64bits(f))
		}
		assert.Equal(t, fmt.Sprintf("%#x", want), fmt.Sprintf("%#x", sum.Sum64()), name)
	}
}

func BenchmarkFunctions(b *testing.B) {
	for name, f := range ones {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f[0](0.7)
			}
		})
	}
	b.Run("sin of 1000", func(b *testing.B) {
		for b.Loop() {
			Sin(1000)
		}
	})
	for name, f := range twos {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f[0](0.7, 1.3)
			}
		})
	}
}
