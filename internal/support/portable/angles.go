// Copyright 2011 The Go Authors. Their license is in the file LICENSE.

package portable

import (
	"math"
	"math/bits"
)

// Sin returns the sine of x, an angle in radians.
func Sin(x float64) float64 {
	switch {
	case x == 0 || math.IsNaN(x):
		return x
	case math.IsInf(x, 0):
		return math.NaN()
	}
	octant, z := reduce(math.Abs(x))
	negative := x < 0
	if octant > 3 {
		negative = !negative
		octant -= 4
	}
	if octant == 1 || octant == 2 {
		return signed(cosine(z), negative)
	}
	return signed(sine(z), negative)
}

// Cos returns the cosine of x, an angle in radians.
func Cos(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.NaN()
	}
	octant, z := reduce(math.Abs(x))
	negative := false
	if octant > 3 {
		negative = !negative
		octant -= 4
	}
	if octant > 1 {
		negative = !negative
	}
	if octant == 1 || octant == 2 {
		return signed(sine(z), negative)
	}
	return signed(cosine(z), negative)
}

// Tan returns the tangent of x, an angle in radians.
func Tan(x float64) float64 {
	switch {
	case x == 0 || math.IsNaN(x):
		return x
	case math.IsInf(x, 0):
		return math.NaN()
	}
	octant, z := reduce(math.Abs(x))
	square, y := float64(z*z), z
	if square > 1e-14 {
		p := poly(square, -1.30936939181383777646e4, 1.15351664838587416140e6, -1.79565251976484877988e7)
		q := poly(square, 1, 1.36812963470692954678e4, -1.32089234440210967447e6, 2.50083801823357915839e7, -5.38695755929454629881e7)
		y = z + float64(z*(float64(square*p)/q))
	}
	if octant&2 == 2 {
		y = -1 / y
	}
	return signed(y, x < 0)
}

func signed(x float64, negative bool) float64 {
	if negative {
		return -x
	}
	return x
}

// sine is that of an angle of at most pi/4.
func sine(z float64) float64 {
	square := float64(z * z)
	return z + float64(float64(z*square)*poly(square, 1.58962301576546568060e-10, -2.50507477628578072866e-8,
		2.75573136857213245853e-6, -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1))
}

// cosine is that of an angle of at most pi/4.
func cosine(z float64) float64 {
	square := float64(z * z)
	return 1 - float64(0.5*square) + float64(float64(square*square)*poly(square, -1.13585365213876817300e-11, 2.08757008419747316778e-9,
		-2.75573141792967388112e-7, 2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2))
}

// reduce returns how many eighths of a turn there are in an angle, of 0 to 7 an even number
// above, and what is left.
func reduce(x float64) (octant uint64, z float64) {
	if x >= 1<<29 {
		return reduceLarge(x)
	}
	const ( // pi/4 in three parts
		high   = 7.85398125648498535156e-1
		middle = 3.77489470793079817668e-8
		low    = 2.69515142907905952645e-15
	)
	octant = uint64(float64(x * (4 / math.Pi)))
	octant += octant & 1
	y := float64(octant)
	return octant & 7, ((x - float64(y*high)) - float64(y*middle)) - float64(y*low)
}

// fourByPi are the bits of 4/pi.
var fourByPi = [...]uint64{
	0x0000000000000001,
	0x45f306dc9c882a53,
	0xf84eafa3ea69bb81,
	0xb6c52b3278872083,
	0xfca2c757bd778ac3,
	0x6e48dc74849ba5c0,
	0x0c925dd413a32439,
	0xfc3bd63962534e7d,
	0xd1046bea5d768909,
	0xd338e04d68befc82,
	0x7323ac7306a673e9,
	0x3908bf177bf25076,
	0x3ff12fffbc0b301f,
	0xde5e2316b414da3e,
	0xda6cfd9e4f96136e,
	0x9e8c7ecd3cbfd45a,
	0xea4f758fd7cbe2f6,
	0x7a0e73ef14a525d4,
	0xd7f6bf623f1aba10,
	0xac06608df8f6d757,
}

// reduceLarge is reduce for what is too large for floats: by Payne and Hanek, it multiplies
// the mantissa with those bits of 4/pi that matter.
func reduceLarge(x float64) (octant uint64, z float64) {
	const (
		shift = 52
		bias  = 1023
	)
	mantissa := math.Float64bits(x)
	exponent := int(mantissa>>shift) - bias - shift
	mantissa = mantissa&(1<<shift-1) | 1<<shift
	digit, by := uint(exponent+61)/64, uint(exponent+61)%64
	digits := func(i uint) uint64 { return fourByPi[digit+i]<<by | fourByPi[digit+i+1]>>(64-by) }
	high2, _ := bits.Mul64(digits(2), mantissa)
	high1, low1 := bits.Mul64(digits(1), mantissa)
	low, carry := bits.Add64(low1, high2, 0)
	high, _ := bits.Add64(digits(0)*mantissa, high1, carry)
	octant = high >> 61
	high = high<<3 | low>>61
	zeros := uint(bits.LeadingZeros64(high))
	high = (high<<(zeros+1) | low>>(64-(zeros+1))) >> (64 - shift)
	z = math.Float64frombits(high | uint64(bias-(zeros+1))<<shift)
	if octant&1 == 1 {
		octant = (octant + 1) & 7
		z--
	}
	return octant, float64(z * (math.Pi / 4))
}

// Atan returns the angle whose tangent is x.
func Atan(x float64) float64 {
	switch {
	case x == 0:
		return x
	case x > 0:
		return arctangent(x)
	}
	return -arctangent(-x)
}

// arctangent is that of what is above 0.
func arctangent(x float64) float64 {
	const (
		moreBits = 6.123233995736765886130e-17 // of pi/2
		tan3pi8  = 2.41421356237309504880
	)
	switch {
	case x <= 0.66:
		return reducedArctangent(x)
	case x > tan3pi8:
		return math.Pi/2 - reducedArctangent(1/x) + moreBits
	}
	return math.Pi/4 + reducedArctangent((x-1)/(x+1)) + 0.5*moreBits
}

// reducedArctangent is that of what is within 0.66 of 0.
func reducedArctangent(x float64) float64 {
	z := float64(x * x)
	p := poly(z, -8.750608600031904122785e-01, -1.615753718733365076637e+01, -7.500855792314704667340e+01,
		-1.228866684490136173410e+02, -6.485021904942025371773e+01)
	q := poly(z, 1, 2.485846490142306297962e+01, 1.650270098316988542046e+02, 4.328810604912902668951e+02,
		4.853903996359136964868e+02, 1.945506571482613964425e+02)
	return float64(x*(float64(z*p)/q)) + x
}

// Asin returns the angle whose sine is x.
func Asin(x float64) float64 {
	size := math.Abs(x)
	switch {
	case x == 0:
		return x
	case size > 1:
		return math.NaN()
	}
	cosine := math.Sqrt(1 - float64(size*size))
	if size > 0.7 {
		return math.Copysign(math.Pi/2-arctangent(cosine/size), x)
	}
	return math.Copysign(arctangent(size/cosine), x)
}

// Acos returns the angle whose cosine is x.
func Acos(x float64) float64 { return math.Pi/2 - Asin(x) }

// Atan2 returns the angle of the point x, y.
func Atan2(y, x float64) float64 {
	if x == 0 || y == 0 || math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Atan2(y, x) // a part of pi: nothing is calculated
	}
	angle := Atan(y / x)
	switch {
	case x > 0:
		return angle
	case angle <= 0:
		return angle + math.Pi
	}
	return angle - math.Pi
}
