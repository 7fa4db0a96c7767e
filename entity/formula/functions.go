package formula

import (
	"math"

	"github.com/worldfs/worldfs/internal/support/portable"
)

// function is what a code's word of operation opFunction does. The numbers are
// part of the format.
type function uint32

const (
	fnNone function = iota
	fnNeg
	fnAdd
	fnSub
	fnMul
	fnDiv
	fnPow
	fnSin
	fnCos
	fnTan
	fnAsin
	fnAcos
	fnAtan
	fnAtan2
	fnSqrt
	fnHypot
	fnExp
	fnLog
	fnRadians
	fnDegrees
	fnAbs
	fnCeil
	fnFloor
	fnRound
	fnMin
	fnMax
	fnClamp
	fnLess
	fnLessEqual
	fnEqual
	fnNot
	fnAnd
	fnOr
	fnSelect
	fnEnd // how many there are
)

// described is a function as sources name it. An operator has a name that no
// source can spell.
type described struct {
	name    string
	arity   int
	isBool  bool   // it gives a condition: 1 or 0
	takes   string // of each argument: n for a number, b for a condition
	binding int    // how strongly an operator binds, as String writes it; 0: it is called
}

var table = [fnEnd]described{
	fnNeg: {"-", 1, false, "n", 5},
	fnAdd: {"+", 2, false, "nn", 3}, fnSub: {"-", 2, false, "nn", 3},
	fnMul: {"*", 2, false, "nn", 4}, fnDiv: {"/", 2, false, "nn", 4},
	fnPow: {"pow", 2, false, "nn", 0},
	fnSin: {"sin", 1, false, "n", 0}, fnCos: {"cos", 1, false, "n", 0}, fnTan: {"tan", 1, false, "n", 0},
	fnAsin: {"asin", 1, false, "n", 0}, fnAcos: {"acos", 1, false, "n", 0}, fnAtan: {"atan", 1, false, "n", 0},
	fnAtan2: {"atan2", 2, false, "nn", 0}, fnSqrt: {"sqrt", 1, false, "n", 0}, fnHypot: {"hypot", 2, false, "nn", 0},
	fnExp: {"exp", 1, false, "n", 0}, fnLog: {"log", 1, false, "n", 0},
	fnRadians: {"radians", 1, false, "n", 0}, fnDegrees: {"degrees", 1, false, "n", 0},
	fnAbs: {"abs", 1, false, "n", 0}, fnCeil: {"ceil", 1, false, "n", 0},
	fnFloor: {"floor", 1, false, "n", 0}, fnRound: {"round", 1, false, "n", 0},
	fnMin: {"min", 2, false, "nn", 0}, fnMax: {"max", 2, false, "nn", 0}, fnClamp: {"clamp", 3, false, "nnn", 0},
	fnLess: {"<", 2, true, "nn", 2}, fnLessEqual: {"<=", 2, true, "nn", 2}, fnEqual: {"==", 2, true, "nn", 2},
	fnNot: {"not", 1, true, "b", 1}, fnAnd: {"and", 2, true, "bb", 1}, fnOr: {"or", 2, true, "bb", 1},
	fnSelect: {"?", 3, false, "bnn", 1},
}

// named returns the function that sources call by a name.
func named(name string) (function, bool) {
	for fn := fnNone + 1; fn < fnEnd; fn++ {
		if table[fn].binding == 0 && table[fn].name == name {
			return fn, true
		}
	}
	return fnNone, false
}

// Functions returns the names of the functions that a source may call.
func Functions() []string {
	var names []string
	for _, d := range table {
		if d.name != "" && d.binding == 0 {
			names = append(names, d.name)
		}
	}
	return names
}

// nan is the one NaN that is calculated, whatever bits a processor gives it.
var nan = math.Float32frombits(0x7fc00000)

func one(x float32) float32 {
	if x != x {
		return nan
	}
	return x
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// apply calculates a function of its arguments, of which there are as many as it
// takes. Each step is converted, so that no compiler makes one rounding of two.
func (fn function) apply(a []float32) float32 {
	switch fn {
	case fnNeg:
		return one(-a[0])
	case fnAdd:
		return one(float32(a[0] + a[1]))
	case fnSub:
		return one(float32(a[0] - a[1]))
	case fnMul:
		return one(float32(a[0] * a[1]))
	case fnDiv:
		return one(float32(a[0] / a[1]))
	case fnMin, fnMax, fnClamp:
		return bounded(fn, a)
	case fnLess:
		return truth(a[0] < a[1])
	case fnLessEqual:
		return truth(a[0] <= a[1])
	case fnEqual:
		return truth(a[0] == a[1])
	case fnNot:
		return truth(a[0] == 0)
	case fnAnd:
		return truth(a[0] != 0 && a[1] != 0)
	case fnOr:
		return truth(a[0] != 0 || a[1] != 0)
	case fnSelect:
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	}
	return one(float32(fn.mathematics(a)))
}

// bounded is min, max and clamp. Of -0 and 0 the first is less; NaN is the result
// where there is one among the arguments.
func bounded(fn function, a []float32) float32 {
	low := func(x, y float32) float32 { return one(float32(math.Min(float64(x), float64(y)))) }
	high := func(x, y float32) float32 { return one(float32(math.Max(float64(x), float64(y)))) }
	switch fn {
	case fnMin:
		return low(a[0], a[1])
	case fnMax:
		return high(a[0], a[1])
	}
	return low(high(a[0], a[1]), a[2])
}

// mathematics calculates in f64 what is rounded once to f32, alike on every machine.
func (fn function) mathematics(a []float32) float64 {
	x := float64(a[0])
	switch fn {
	case fnPow:
		return portable.Pow(x, float64(a[1]))
	case fnSin:
		return portable.Sin(x)
	case fnCos:
		return portable.Cos(x)
	case fnTan:
		return portable.Tan(x)
	case fnAsin:
		return portable.Asin(x)
	case fnAcos:
		return portable.Acos(x)
	case fnAtan:
		return portable.Atan(x)
	case fnAtan2:
		return portable.Atan2(x, float64(a[1]))
	case fnSqrt:
		return math.Sqrt(x)
	case fnHypot:
		return portable.Hypot(x, float64(a[1]))
	case fnExp:
		return portable.Exp(x)
	case fnLog:
		return portable.Log(x)
	case fnRadians:
		return portable.Radians(x)
	case fnDegrees:
		return portable.Degrees(x)
	case fnAbs:
		return math.Abs(x)
	case fnCeil:
		return math.Ceil(x)
	case fnFloor:
		return math.Floor(x)
	case fnRound:
		return math.Round(x)
	}
	return math.NaN()
}
