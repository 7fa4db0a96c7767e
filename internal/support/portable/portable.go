// Package portable has the functions of mathematics with the same bits on every machine.
// Those of the package math are not: some are written for a processor, exp even for two kinds
// of one, and elsewhere the compiler may round a product and a sum as one.
//
// Here all is calculated in twice the precision by what IEEE 754 defines to the last bit, and
// rounded in the end: the nearest float64 but where the value lies within about 2^-90 of the middle
// between two, or is subnormal. It takes about a microsecond.
package portable

import "math"

// Radians returns an angle in degrees as radians.
func Radians(degrees float64) float64 { return float64(degrees*math.Pi) / 180 }

// Degrees returns an angle in radians as degrees.
func Degrees(radians float64) float64 { return float64(radians*180) / math.Pi }

// Hypot returns the square root of p*p + q*q.
func Hypot(p, q float64) float64 {
	p, q = math.Abs(p), math.Abs(q)
	larger := max(p, q)
	switch {
	case math.IsInf(p, 0) || math.IsInf(q, 0):
		return math.Inf(1)
	case larger == 0 || math.IsNaN(larger):
		return larger
	}
	_, twos := math.Frexp(larger)
	p, q = math.Ldexp(p, -twos), math.Ldexp(q, -twos)
	return math.Ldexp(product(p, p).plus(product(q, q)).root().float(), twos)
}

var ln2 = double{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}

// powersOfE is the series of (e**x - 1) / x.
var powersOfE = series(12, func(i int) double { return reciprocal(i + 1) })

// lessOne returns e**x - 1 for |x| < 0.4.
func lessOne(x double) double {
	const halvings = 7
	x = x.scaled(1.0 / (1 << halvings))
	m := x.times(polynomial(x, powersOfE))
	for range halvings { // (1+m)**2 - 1
		m = m.times(m.plus(of(2)))
	}
	return m
}

// exp returns e**x as a number between 1/2 and 2, and the power of two that it is to be
// multiplied by.
func exp(x double) (y double, twos int) {
	k := math.Round(float64(x.hi * math.Log2E))
	return lessOne(x.minus(ln2.times(of(k)))).plus(of(1)), int(k)
}

// Exp returns e**x.
func Exp(x float64) float64 { return expOf(of(x)) }

func expOf(x double) float64 {
	switch {
	case math.IsNaN(x.hi):
		return x.hi
	case x.hi > 710:
		return math.Inf(1)
	case x.hi < -746:
		return 0
	}
	y, twos := exp(x)
	return math.Ldexp(y.float(), twos)
}

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	return log(x).float()
}

// log returns the natural logarithm of x > 0.
func log(x float64) double {
	m, twos := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, twos = 2*m, twos-1
	}
	return ln2.times(of(float64(twos))).plus(logNearOne(m))
}

// logNearOne returns the logarithm of m between the roots of 1/2 and 2: from a first estimate y, by
// one step of Halley's method, which leaves the third power of the error.
func logNearOne(m float64) double {
	f := m - 1 // exact
	s := f / (m + 1)
	s2 := float64(s * s)
	y := 0.0
	for i := 21; i >= 1; i -= 2 { // 2 artanh(s)
		y = float64(y*s2) + 2/float64(i)
	}
	estimate := of(float64(y * s))
	is := lessOne(estimate)
	return estimate.plus(of(f).minus(is).scaled(2).over(of(f).plus(is).plus(of(2))))
}

// Pow returns x**y.
func Pow(x, y float64) float64 {
	whole := y == math.Trunc(y)
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0) ||
		x == 1 || x == -1 || y == 0 || x < 0 && !whole {
		return math.Pow(x, y) // there is nothing to round
	}
	result := 0.0
	if whole && math.Abs(y) < 1024 {
		result = powWhole(math.Abs(x), int(y))
	} else {
		result = expOfProduct(log(math.Abs(x)), y)
	}
	if x < 0 && math.Mod(y, 2) != 0 {
		return -result
	}
	return result
}

// expOfProduct returns e**(x*y), where the product may be beyond every number.
func expOfProduct(x double, y float64) float64 {
	if p := float64(x.hi * y); math.Abs(p) > 1000 {
		return expOf(of(p))
	}
	return expOf(x.times(of(y)))
}

// powWhole returns x**n, in which a square is exact.
func powWhole(x float64, n int) float64 {
	m, twos := math.Frexp(x)
	base, power, exponent := of(m), of(1), 0
	for i := max(n, -n); i > 0; i >>= 1 {
		if i&1 == 1 {
			power, exponent = power.times(base), exponent+twos
		}
		base, twos = base.times(base), twos*2
		if base.hi < 0.5 {
			base, twos = base.scaled(2), twos-1
		}
	}
	if n < 0 {
		power, exponent = of(1).over(power), -exponent
	}
	return math.Ldexp(power.float(), exponent)
}
