package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The same functions, slowly, in numbers of 2000 bits.
const bits = 2000

func number(x float64) *big.Float    { return new(big.Float).SetPrec(bits).SetFloat64(x) }
func add(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Add(x, y) }
func sub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Quo(x, y) }

// summed sums a series of which each term is made of the one before, until it says nothing more.
func summed(first *big.Float, next func(term *big.Float, i int) *big.Float) *big.Float {
	sum, term := number(0), first
	for i := 1; term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-400; i++ {
		sum = add(sum, term)
		term = next(term, i)
	}
	return sum
}

func bigExp(x *big.Float) *big.Float {
	const halvings = 40
	small := new(big.Float).SetMantExp(x, -halvings)
	e := summed(number(1), func(term *big.Float, i int) *big.Float { return quo(mul(term, small), number(float64(i))) })
	for range halvings {
		e = mul(e, e)
	}
	return e
}

func bigLog(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := number(math.Log(f))
	for range 4 {
		e := bigExp(y)
		y = add(y, mul(number(2), quo(sub(x, e), add(x, e))))
	}
	return y
}

func bigSinCos(x *big.Float) (sin, cos *big.Float) {
	turn := mul(pi(), number(2))
	n, _ := quo(x, turn).Int(nil)
	x = sub(x, mul(turn, new(big.Float).SetPrec(bits).SetInt(n)))
	square := mul(x, x)
	sign := func(from int) func(term *big.Float, i int) *big.Float {
		return func(term *big.Float, i int) *big.Float {
			return quo(mul(term, square), number(float64(-(2*i-from)*(2*i+1-from))))
		}
	}
	return summed(x, sign(0)), summed(number(1), sign(1))
}

func bigAtan(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := number(math.Atan(f))
	for range 4 {
		sin, cos := bigSinCos(y)
		t := quo(sub(mul(x, cos), sin), add(cos, mul(x, sin)))
		y = add(y, sub(t, quo(mul(t, mul(t, t)), number(3))))
	}
	return y
}

func TestConstants(t *testing.T) {
	text := pi().Text('f', 60)
	require.Equal(t, "3.141592653589793238462643383279502884197169399375105820974945", text)
	require.Equal(t, halfPi, parts(quo(pi(), number(2)), 3))
	require.Equal(t, []float64{ln2.hi, ln2.lo}, parts(bigLog(number(2)), 2))
}

// The functions return the nearest number.
func TestTheyRoundOnce(t *testing.T) {
	root := func(x *big.Float) *big.Float { return new(big.Float).SetPrec(bits).Sqrt(x) }
	tan := func(x *big.Float) *big.Float { sin, cos := bigSinCos(x); return quo(sin, cos) }
	other := func(x *big.Float) *big.Float { return root(mul(add(number(1), x), sub(number(1), x))) }
	anywhere := func(r *rand.Rand) float64 { return math.Ldexp(r.Float64()-0.5, r.IntN(80)-40) }
	huge := func(r *rand.Rand) float64 { return math.Ldexp(r.Float64()-0.5, r.IntN(1200)-176) }
	within := func(r *rand.Rand) float64 { return math.Ldexp(2*r.Float64()-1, -r.IntN(20)) }
	for name, f := range map[string]struct {
		is     func(float64) float64
		exact  func(*big.Float) *big.Float
		inputs func(*rand.Rand) float64
	}{
		"exp":                 {Exp, bigExp, func(r *rand.Rand) float64 { return math.Ldexp(r.Float64()-0.5, 10-r.IntN(40)) }},
		"log":                 {Log, bigLog, func(r *rand.Rand) float64 { return math.Abs(huge(r)) }},
		"log, near 1":         {Log, bigLog, func(r *rand.Rand) float64 { return 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(52)) }},
		"sin":                 {Sin, func(x *big.Float) *big.Float { sin, _ := bigSinCos(x); return sin }, anywhere},
		"cos":                 {Cos, func(x *big.Float) *big.Float { _, cos := bigSinCos(x); return cos }, anywhere},
		"tan":                 {Tan, tan, anywhere},
		"sin of what is huge": {Sin, func(x *big.Float) *big.Float { sin, _ := bigSinCos(x); return sin }, huge},
		"atan":                {Atan, bigAtan, anywhere},
		"asin":                {Asin, func(x *big.Float) *big.Float { return bigAtan(quo(x, other(x))) }, within},
		"acos": {Acos, func(x *big.Float) *big.Float {
			angle := bigAtan(quo(other(x), x))
			if x.Sign() < 0 {
				angle = add(angle, pi())
			}
			return angle
		}, within},
		"pow 2.5": {func(x float64) float64 { return Pow(x, 2.5) }, func(x *big.Float) *big.Float { return root(mul(x, mul(mul(x, x), mul(x, x)))) }, func(r *rand.Rand) float64 { return math.Abs(anywhere(r)) }},
		"pow 0.3": {func(x float64) float64 { return Pow(x, 0.3) }, func(x *big.Float) *big.Float { return bigExp(mul(bigLog(x), number(0.3))) }, func(r *rand.Rand) float64 { return math.Abs(huge(r)) }},
		"pow -3":  {func(x float64) float64 { return Pow(x, -3) }, func(x *big.Float) *big.Float { return quo(number(1), mul(x, mul(x, x))) }, anywhere},
		"hypot":   {func(x float64) float64 { return Hypot(x, 1) }, func(x *big.Float) *big.Float { return root(add(mul(x, x), number(1))) }, anywhere},
		"atan2": {func(x float64) float64 { return Atan2(1, x) }, func(x *big.Float) *big.Float {
			angle := bigAtan(quo(number(1), x))
			if x.Sign() < 0 {
				angle = add(angle, pi())
			}
			return angle
		}, anywhere},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 1))
			for range 300 {
				x := f.inputs(r)
				if x == 0 {
					continue
				}
				want, _ := f.exact(number(x)).Float64()
				if math.Abs(want) < 0x1p-1022 || math.IsInf(want, 0) {
					continue
				}
				require.Equal(t, want, f.is(x), "of %v", x)
			}
		})
	}
}
