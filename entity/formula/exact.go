package formula

import (
	"math"
	"math/big"
	"sync"
)

// The functions by whole numbers: what a processor, a compiler or a library of
// mathematics makes of sin(1) is not the same bits everywhere, and a ship build's
// are. They are slow, which does not matter for constants.

// precision is of what is calculated with: an f32 of 2^127 in whole turns takes 128
// bits, and what is left is far more than an f32 has.
const precision = 512

// exactly calculates a function of its arguments, alike on every machine.
func (fn function) exactly(a []float32) float32 {
	x := float64(a[0])
	switch fn {
	case fnSin, fnCos, fnTan, fnAsin, fnAcos, fnAtan, fnExp, fnLog:
		return one(transcendental(fn, x))
	case fnAtan2:
		return one(exactAtan2(x, float64(a[1])))
	case fnPow:
		return one(exactPow(x, float64(a[1])))
	}
	return fn.apply(a) // each step of it is rounded as IEEE 754 says
}

func transcendental(fn function, x float64) float32 {
	switch {
	case math.IsNaN(x):
		return nan
	case x == 0 && (fn == fnSin || fn == fnTan || fn == fnAsin || fn == fnAtan):
		return float32(x) // with its sign
	}
	switch fn {
	case fnExp:
		return exactExp(number(clampExponent(x)))
	case fnLog:
		return exactLog(x)
	case fnAtan:
		return round(arctangentOf(x))
	case fnAsin, fnAcos:
		return exactAsin(fn, x)
	}
	if math.IsInf(x, 0) {
		return nan
	}
	sine, cosine := sineCosine(number(x))
	switch fn {
	case fnSin:
		return round(sine)
	case fnCos:
		return round(cosine)
	}
	return round(quotient(sine, cosine))
}

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func fresh() *big.Float { return new(big.Float).SetPrec(precision) }

func quotient(x, y *big.Float) *big.Float { return fresh().Quo(x, y) }

func product(x, y *big.Float) *big.Float { return fresh().Mul(x, y) }

func round(x *big.Float) float32 {
	f, _ := x.Float32()
	return f
}

// isNegligible reports whether a term adds nothing any more to a sum of about 1.
func isNegligible(term *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < -precision
}

// arctangent returns atan x for |x| <= 1/2, by its series.
func arctangent(x *big.Float) *big.Float {
	square := product(x, x)
	square.Neg(square)
	sum, power := fresh().Set(x), fresh().Set(x)
	for n := 3; !isNegligible(power); n += 2 {
		power.Mul(power, square)
		sum.Add(sum, quotient(power, number(float64(n))))
	}
	return sum
}

// pi by Machin's formula: 16 atan(1/5) - 4 atan(1/239). Like the other constants it takes a
// while, and most processes need none.
var pi = sync.OnceValue(func() *big.Float {
	a := arctangent(quotient(number(1), number(5)))
	b := arctangent(quotient(number(1), number(239)))
	return fresh().Sub(product(number(16), a), product(number(4), b))
})

var halfPi = sync.OnceValue(func() *big.Float { return quotient(pi(), number(2)) })

// artanh returns the series x + x^3/3 + x^5/5 …, for |x| <= 1/3.
func artanh(x *big.Float) *big.Float {
	square := product(x, x)
	sum, power := fresh().Set(x), fresh().Set(x)
	for n := 3; !isNegligible(power); n += 2 {
		power.Mul(power, square)
		sum.Add(sum, quotient(power, number(float64(n))))
	}
	return sum
}

var ln2 = sync.OnceValue(func() *big.Float { return product(number(2), artanh(quotient(number(1), number(3)))) })

// nearest returns the whole number nearest to x, which is below 2^200.
func nearest(x *big.Float) *big.Int {
	half := number(0.5)
	if x.Sign() < 0 {
		half.Neg(half)
	}
	n, _ := fresh().Add(x, half).Int(nil)
	return n
}

// sineCosine returns both for any x that is an f32.
func sineCosine(x *big.Float) (sine, cosine *big.Float) {
	quarter := nearest(quotient(x, halfPi()))
	rest := fresh().Sub(x, product(fresh().SetInt(quarter), halfPi()))
	square := product(rest, rest)
	square.Neg(square)
	sine, cosine = fresh().Set(rest), number(1)
	s, c := fresh().Set(rest), number(1)
	for n := 1; !isNegligible(s) || !isNegligible(c); n += 2 {
		c = quotient(product(c, square), number(float64(n*(n+1))))
		s = quotient(product(s, square), number(float64((n+1)*(n+2))))
		cosine.Add(cosine, c)
		sine.Add(sine, s)
	}
	switch new(big.Int).And(quarter, big.NewInt(3)).Int64() {
	case 1:
		return cosine, sine.Neg(sine)
	case 2:
		return sine.Neg(sine), cosine.Neg(cosine)
	case 3:
		return cosine.Neg(cosine), sine
	}
	return sine, cosine
}

// clampExponent bounds what exp is of: beyond it the result is 0 or infinite as an
// f32.
func clampExponent(x float64) float64 { return min(max(x, -200), 200) }

func exactExp(x *big.Float) float32 {
	twos := nearest(quotient(x, ln2()))
	rest := fresh().Sub(x, product(fresh().SetInt(twos), ln2()))
	sum, term := number(1), number(1)
	for n := 1; !isNegligible(term); n++ {
		term = quotient(product(term, rest), number(float64(n)))
		sum.Add(sum, term)
	}
	return round(sum.SetMantExp(sum, int(twos.Int64())))
}

func exactLog(x float64) float32 {
	switch {
	case x < 0:
		return nan
	case x == 0:
		return float32(math.Inf(-1))
	case math.IsInf(x, 1):
		return float32(x)
	}
	return round(logarithm(number(x)))
}

// logarithm returns log x of any x > 0: that of its mantissa by artanh.
func logarithm(x *big.Float) *big.Float {
	mantissa := fresh()
	twos := x.MantExp(mantissa)
	if mantissa.Cmp(number(0.75)) < 0 { // from 3/4 to 3/2, so that log 1 is 0
		mantissa.Add(mantissa, mantissa)
		twos--
	}
	z := quotient(fresh().Sub(mantissa, number(1)), fresh().Add(mantissa, number(1)))
	return fresh().Add(product(number(2), artanh(z)), product(number(float64(twos)), ln2()))
}

// arctangentOf returns atan x of any x.
func arctangentOf(x float64) *big.Float {
	if math.IsInf(x, 0) {
		return fresh().Mul(halfPi(), number(math.Copysign(1, x)))
	}
	return arctangentAny(number(x))
}

func arctangentAny(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		positive := arctangentAny(fresh().Neg(x))
		return positive.Neg(positive)
	}
	if x.Cmp(number(1)) > 0 {
		return fresh().Sub(halfPi(), arctangentAny(quotient(number(1), x)))
	}
	// atan x = 2 atan(x / (1 + sqrt(1 + x²))), which is below 1/2.
	root := fresh().Sqrt(fresh().Add(number(1), product(x, x)))
	return product(number(2), arctangent(quotient(x, root.Add(root, number(1)))))
}

func exactAsin(fn function, x float64) float32 {
	if math.Abs(x) > 1 {
		return nan
	}
	sine := fresh().Set(halfPi())
	if math.Abs(x) < 1 {
		b := number(x)
		sine = arctangentAny(quotient(b, fresh().Sqrt(fresh().Sub(number(1), product(b, b)))))
	} else if x < 0 {
		sine.Neg(sine)
	}
	if fn == fnAsin {
		return round(sine)
	}
	return round(fresh().Sub(halfPi(), sine))
}

func exactAtan2(y, x float64) float32 {
	if math.IsNaN(y) || math.IsNaN(x) || y == 0 || x == 0 || math.IsInf(y, 0) || math.IsInf(x, 0) {
		return float32(math.Atan2(y, x)) // a part of pi, which is a constant there
	}
	angle := arctangentAny(quotient(number(y), number(x)))
	switch {
	case x > 0:
	case y > 0:
		angle.Add(angle, pi())
	default:
		angle.Sub(angle, pi())
	}
	return round(angle)
}

func exactPow(x, y float64) float32 {
	odd := math.Abs(math.Mod(y, 2)) == 1
	switch {
	case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 || y == 0 || math.Abs(x) == 1,
		x < 0 && y != math.Trunc(y):
		return float32(math.Pow(x, y)) // 0, 1, infinite or NaN: there is nothing to round
	}
	exponent := product(number(y), logarithm(number(math.Abs(x))))
	if bound := number(200); exponent.Cmp(bound) > 0 {
		exponent = bound
	} else if bound.Neg(bound); exponent.Cmp(bound) < 0 {
		exponent = bound
	}
	power := exactExp(exponent)
	if x < 0 && odd {
		return -power
	}
	return power
}
