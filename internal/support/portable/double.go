package portable

import "math"

// double is a number of twice the precision: the sum of two float64, of which lo is less than
// the last place of hi. Dekker, A floating-point technique for extending the available precision,
// 1971. A sum of products may be fused by the compiler, so that each product is converted; what a
// product loses is calculated by an FMA, which is exact on every machine.
type double struct{ hi, lo float64 }

func of(x float64) double { return double{hi: x} }

// sum returns a + b.
func sum(a, b float64) double {
	s := a + b
	v := s - a
	return double{s, (a - (s - v)) + (b - v)}
}

// quickSum returns a + b where a is the larger one, or 0.
func quickSum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

// product returns a * b.
func product(a, b float64) double {
	p := float64(a * b)
	return double{p, math.FMA(a, b, -p)}
}

func (x double) neg() double { return double{-x.hi, -x.lo} }

func (x double) plus(y double) double {
	high, low := sum(x.hi, y.hi), sum(x.lo, y.lo)
	high = quickSum(high.hi, high.lo+low.hi)
	return quickSum(high.hi, high.lo+low.lo)
}

func (x double) minus(y double) double { return x.plus(y.neg()) }

func (x double) times(y double) double {
	p := product(x.hi, y.hi)
	return quickSum(p.hi, p.lo+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

// scaled returns x * y, y being a power of two.
func (x double) scaled(y float64) double { return double{float64(x.hi * y), float64(x.lo * y)} }

func (x double) over(y double) double {
	q := x.hi / y.hi
	rest := x.minus(y.times(of(q)))
	q2 := rest.hi / y.hi
	rest = rest.minus(y.times(of(q2)))
	return quickSum(q, q2).plus(of(rest.hi / y.hi))
}

// root returns the square root of x > 0.
func (x double) root() double {
	s := math.Sqrt(x.hi)
	return quickSum(s, x.minus(product(s, s)).hi/(2*s))
}

// float returns x, rounded.
func (x double) float() float64 { return x.hi + x.lo }

// polynomial returns the sum of the coefficients times powers of x, from the 0th on.
func polynomial(x double, coefficients []double) double {
	at := len(coefficients) - 1
	result := coefficients[at]
	for at--; at >= 0; at-- {
		result = result.times(x).plus(coefficients[at])
	}
	return result
}

// series returns the coefficients of n powers.
func series(n int, coefficient func(i int) double) []double {
	all := make([]double, n)
	for i := range all {
		all[i] = coefficient(i)
	}
	return all
}

// reciprocal returns 1 / n!.
func reciprocal(n int) double {
	r := of(1)
	for i := 2; i <= n; i++ {
		r = r.over(of(float64(i)))
	}
	return r
}

// alternating returns 1 and -1 by turns.
func alternating(i int) double { return of(float64(1 - i%2*2)) }
