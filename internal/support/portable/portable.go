// Copyright 2009 The Go Authors. Their license is in the file LICENSE.

// Package portable has the functions of mathematics with the same bits on every machine.
// Those of the package math are not: some are written for a processor, exp even for two kinds
// of one, and elsewhere the compiler may round a product and a sum as one. Here each product is
// converted, which keeps it from that, and nothing is left to a library but the square root and
// what is exact. The algorithms are those of math, for all processors alike.
package portable

import "math"

// poly returns the polynomial with these coefficients, the one of the highest power first.
func poly(x float64, coefficients ...float64) (sum float64) {
	sum = coefficients[0]
	for _, c := range coefficients[1:] {
		sum = float64(sum*x) + c
	}
	return sum
}

// Radians returns an angle in degrees as radians.
func Radians(degrees float64) float64 { return float64(degrees*math.Pi) / 180 }

// Degrees returns an angle in radians as degrees.
func Degrees(radians float64) float64 { return float64(radians*180) / math.Pi }

// Hypot returns the square root of p*p + q*q.
func Hypot(p, q float64) float64 {
	p, q = math.Abs(p), math.Abs(q)
	switch {
	case math.IsInf(p, 1) || math.IsInf(q, 1):
		return math.Inf(1)
	case math.IsNaN(p) || math.IsNaN(q):
		return math.NaN()
	}
	if p < q {
		p, q = q, p
	}
	if p == 0 {
		return 0
	}
	q /= p
	return float64(p * math.Sqrt(1+float64(q*q)))
}

const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// Exp returns e**x.
func Exp(x float64) float64 {
	const (
		log2e     = 1.44269504088896338700e+00
		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02
		nearZero  = 1.0 / (1 << 28)
	)
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	case -nearZero < x && x < nearZero:
		return 1 + x
	}
	k := int(float64(log2e*x) + math.Copysign(0.5, x))
	high := x - float64(float64(k)*ln2High)
	low := float64(float64(k) * ln2Low)
	r := high - low
	t := float64(r * r)
	c := r - float64(t*poly(t, 4.13813679705723846039e-08, -1.65339022054652515390e-06,
		6.61375632143793436117e-05, -2.77777777770155933842e-03, 1.66666666666666657415e-01))
	y := 1 - ((low - float64(r*c)/(2-c)) - high)
	return math.Ldexp(y, k)
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
	mantissa, exponent := math.Frexp(x)
	if mantissa < math.Sqrt2/2 {
		mantissa = float64(mantissa * 2)
		exponent--
	}
	f := mantissa - 1
	k := float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s2 * poly(s4, 1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01))
	t2 := float64(s4 * poly(s4, 1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01))
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2High) - ((half - (float64(s*(half+(t1+t2))) + float64(k*ln2Low))) - f)
}

// Pow returns x**y.
func Pow(x, y float64) float64 {
	whole, fraction := math.Modf(math.Abs(y))
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0) ||
		x == 1 || math.Abs(y) == 0.5 || y == 1 || y == 0 || whole >= 1<<63 || fraction != 0 && x < 0 {
		return math.Pow(x, y) // there is nothing to round, but in a square root
	}
	power, twos := 1.0, 0
	if fraction != 0 {
		if fraction > 0.5 {
			fraction--
			whole++
		}
		power = Exp(float64(fraction * Log(x)))
	}
	base, exponent := math.Frexp(x)
	for i := int64(whole); i != 0; i >>= 1 {
		if exponent < -1<<12 || 1<<12 < exponent { // beyond what a float64 holds, whatever is left
			twos += exponent
			break
		}
		if i&1 == 1 {
			power = float64(power * base)
			twos += exponent
		}
		base = float64(base * base)
		exponent <<= 1
		if base < 0.5 {
			base = float64(base * 2)
			exponent--
		}
	}
	if y < 0 {
		power = 1 / power
		twos = -twos
	}
	return math.Ldexp(power, twos)
}
