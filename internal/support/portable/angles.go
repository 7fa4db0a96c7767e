package portable

import (
	"math"
	"math/big"
	"sync"
)

// small is below what the sine, the tangent and their inverses are their argument, rounded.
const small = 0x1p-27

var (
	halfPi   = parts(new(big.Float).Quo(pi(), big.NewFloat(2)), 3)
	sines    = series(16, func(i int) double { return reciprocal(2*i + 1).times(alternating(i)) })
	coses    = series(16, func(i int) double { return reciprocal(2 * i).times(alternating(i)) })
	straight = double{2 * halfPi[0], 2 * halfPi[1]} // half a turn
	right    = double{halfPi[0], halfPi[1]}
	arcs     = series(9, func(i int) double { return alternating(i).over(of(float64(2*i + 1))) })
)

// Sin returns the sine of x, in radians.
func Sin(x float64) float64 {
	if math.Abs(x) < small {
		return x
	}
	sin, _ := sinCos(x)
	return sin.float()
}

// Cos returns the cosine of x, in radians.
func Cos(x float64) float64 {
	_, cos := sinCos(x)
	return cos.float()
}

// Tan returns the tangent of x, in radians.
func Tan(x float64) float64 {
	if math.Abs(x) < small {
		return x
	}
	sin, cos := sinCos(x)
	return sin.over(cos).float()
}

func sinCos(x float64) (sin, cos double) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return of(math.NaN()), of(math.NaN())
	}
	rest, quarters := reduced(x)
	sin, cos = sinCosOf(rest)
	for range quarters {
		sin, cos = cos, sin.neg()
	}
	return sin, cos
}

// sinCosOf returns sine and cosine of an angle not beyond a quarter of pi.
func sinCosOf(x double) (sin, cos double) {
	square := x.times(x)
	return x.times(polynomial(square, sines)), polynomial(square, coses)
}

// pi returns pi to as many places as the largest float64 takes, and those of a double beside them.
var pi = sync.OnceValue(func() *big.Float { return machin(1024 + 256) })

// machin returns pi to so many places: 16 arctan(1/5) - 4 arctan(1/239).
func machin(places uint) *big.Float {
	const guard = 32
	scale := new(big.Int).Lsh(big.NewInt(1), places+guard)
	arctan := func(inverse int64) *big.Int {
		term := new(big.Int).Quo(scale, big.NewInt(inverse))
		sum, square := new(big.Int), big.NewInt(inverse*inverse)
		for i := int64(1); term.Sign() != 0; i += 2 {
			part := new(big.Int).Quo(term, big.NewInt(i))
			if i%4 == 3 {
				part.Neg(part)
			}
			sum.Add(sum, part)
			term.Quo(term, square)
		}
		return sum
	}
	sum := arctan(5)
	sum.Sub(sum.Lsh(sum, 4), new(big.Int).Lsh(arctan(239), 2))
	f := new(big.Float).SetPrec(places + guard).SetInt(sum)
	return f.SetMantExp(f, -int(places+guard))
}

// parts returns n numbers of which the sum is x, nearly.
func parts(x *big.Float, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i], _ = x.Float64()
		x = new(big.Float).Sub(x, new(big.Float).SetFloat64(all[i]))
	}
	return all
}

// reduced returns an angle less whole quarters of a turn, and how many those are, without whole turns.
func reduced(x float64) (rest double, quarters int) {
	switch {
	case math.Abs(x) < math.Pi/4:
		return of(x), 0
	case math.Abs(x) > 1<<20:
		return reducedExactly(x)
	}
	n := math.Round(x / halfPi[0])
	rest = of(x)
	for _, part := range halfPi {
		rest = rest.minus(product(n, part))
	}
	return rest, int(n) & 3
}

// reducedExactly is reduced with as many places of pi as x has before the point, and more.
func reducedExactly(x float64) (rest double, quarters int) {
	_, exponent := math.Frexp(x)
	precision := uint(exponent) + 224
	quarter := new(big.Float).SetPrec(precision).Quo(pi(), big.NewFloat(2))
	exact := new(big.Float).SetPrec(precision).SetFloat64(x)
	turned := new(big.Float).Quo(exact, quarter)
	turned.Add(turned, big.NewFloat(math.Copysign(0.5, x)))
	n, _ := turned.Int(nil)
	exact.Sub(exact, quarter.Mul(quarter, new(big.Float).SetPrec(precision).SetInt(n)))
	both := parts(exact, 2)
	return double{both[0], both[1]}, int(new(big.Int).And(n, big.NewInt(3)).Int64())
}

// arctan returns the arctangent of x >= 0: from an estimate, by what the angle lacks between the two.
func arctan(x double) double {
	if x.hi > 1 {
		return right.minus(arctan(of(1).over(x)))
	}
	estimate := of(x.hi / (1 + float64(0.28*float64(x.hi*x.hi))))
	sin, cos := sinCosOf(estimate)
	t := x.times(cos).minus(sin).over(cos.plus(x.times(sin)))
	return estimate.plus(t.times(polynomial(t.times(t), arcs)))
}

// Atan returns the angle in radians of which x is the tangent.
func Atan(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.Abs(x) < small:
		return x
	case math.Abs(x) > 0x1p60:
		return math.Copysign(math.Pi/2, x)
	}
	return math.Copysign(arctan(of(math.Abs(x))).float(), x)
}

// Atan2 returns the angle in radians of the point at x and y.
func Atan2(y, x float64) float64 {
	if x == 0 || y == 0 || math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Atan2(y, x) // there is nothing to calculate
	}
	slope := math.Abs(y) / math.Abs(x)
	var angle double
	switch {
	case slope < 0x1p-60 && x > 0:
		return y / x
	case slope < 0x1p-60:
		angle = straight
	case slope > 0x1p60:
		angle = right
	default:
		my, ty := math.Frexp(math.Abs(y))
		mx, tx := math.Frexp(math.Abs(x))
		angle = arctan(of(my).over(of(mx)).scaled(math.Ldexp(1, ty-tx)))
		if x < 0 {
			angle = straight.minus(angle)
		}
	}
	return math.Copysign(angle.float(), y)
}

// Asin returns the angle in radians of which x is the sine.
func Asin(x float64) float64 {
	switch {
	case !(math.Abs(x) <= 1):
		return math.NaN()
	case math.Abs(x) < small:
		return x
	case math.Abs(x) == 1:
		return math.Copysign(math.Pi/2, x)
	}
	return math.Copysign(arctan(of(math.Abs(x)).over(other(x))).float(), x)
}

// Acos returns the angle in radians of which x is the cosine.
func Acos(x float64) float64 {
	switch {
	case !(math.Abs(x) <= 1):
		return math.NaN()
	case math.Abs(x) < 0x1p-60:
		return math.Pi / 2
	case x == 1:
		return 0
	}
	angle := arctan(other(x).over(of(math.Abs(x))))
	if x < 0 {
		angle = straight.minus(angle)
	}
	return angle.float()
}

// other returns the sine of the angle of which x is the cosine.
func other(x float64) double {
	square := sum(1, x).times(sum(1, -x))
	if square.hi == 0 {
		return square
	}
	return square.root()
}
