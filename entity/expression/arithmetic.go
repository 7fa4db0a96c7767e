package expression

import (
	"errors"
	"fmt"
	"math"

	"github.com/expr-lang/expr/vm/runtime"

	"github.com/worldfs/worldfs/internal/support/portable"
)

// errAbsent is what calculating with nil gives: the entity does not have what
// the expression asks about.
var errAbsent = errors.New("there is no value")

// ErrDivision is what the division of a whole number by zero is.
var ErrDivision = errors.New("integer division by zero")

// operation is what an operator does to two numbers. Two whole numbers give a
// whole one where whole is there and can say it; else both are floats.
type operation struct {
	sign  string
	whole func(a, b whole) (any, error)
	float func(a, b float64) float64

	// What it does with vectors: with another, component by component; with a
	// number on its right, or on either side.
	vectors, scales, scaled bool
	other                   func(a, b any) any // with neither: times, mostly
}

var (
	addition = operation{sign: "+", vectors: true, other: runtime.Add,
		whole: exact("+", whole.plus), float: func(a, b float64) float64 { return a + b }}
	subtraction = operation{sign: "-", vectors: true, other: runtime.Subtract,
		whole: exact("-", whole.minus), float: func(a, b float64) float64 { return a - b }}
	multiplication = operation{sign: "*", scales: true, scaled: true, other: runtime.Multiply,
		whole: exact("*", whole.times), float: func(a, b float64) float64 { return a * b }}
	division       = operation{sign: "/", scales: true, whole: quotient, float: func(a, b float64) float64 { return a / b }}
	modulo         = operation{sign: "%", whole: remainder}
	exponentiation = operation{sign: "**", whole: power, float: portable.Pow}
)

// exact makes an operation's whole part of one that says where it overflows.
func exact(sign string, f func(a, b whole) (whole, bool)) func(a, b whole) (any, error) {
	return func(a, b whole) (any, error) {
		w, ok := f(a, b)
		if !ok {
			return nil, fmt.Errorf("%w: %v %s %v", ErrOverflow, a, sign, b)
		}
		return w.value(), nil
	}
}

// quotient returns a whole number where the division comes out even, else a
// float.
func quotient(a, b whole) (any, error) {
	q, r, err := divide("/", a, b)
	if err == nil && r.size != 0 {
		return a.float() / b.float(), nil
	}
	return q.value(), err
}

func remainder(a, b whole) (any, error) {
	if b.size == 0 {
		return nil, fmt.Errorf("%w: %v %% 0", ErrDivision, a)
	}
	_, r, _ := a.dividedBy(b)
	return r.value(), nil
}

// divide is dividedBy, with what cannot be.
func divide(sign string, a, b whole) (q, r whole, err error) {
	if b.size == 0 {
		return q, r, fmt.Errorf("%w: %v %s 0", ErrDivision, a, sign)
	}
	q, r, ok := a.dividedBy(b)
	if !ok {
		return q, r, fmt.Errorf("%w: %v %s %v", ErrOverflow, a, sign, b)
	}
	return q, r, nil
}

// power returns a whole number where there is one, else a float.
func power(a, b whole) (any, error) {
	if !b.negative {
		if w, ok := a.power(b); ok {
			return w.value(), nil
		}
	}
	return portable.Pow(a.float(), b.float()), nil
}

// apply returns what the operation makes of two values.
func (o *operation) apply(v *evaluation, a, b any) (any, error) {
	if x, ok := a.(float64); ok && o.float != nil {
		if y, ok := b.(float64); ok {
			return v.computed(o.float(x, y), x, y), nil
		}
	}
	x, isX := wholeOf(a)
	y, isY := wholeOf(b)
	if isX && isY {
		return o.wholes(v, x, y)
	}
	return o.mixed(v, a, b)
}

func (o *operation) wholes(v *evaluation, x, y whole) (any, error) {
	r, err := o.whole(x, y)
	if f, ok := r.(float64); ok {
		return v.computed(f), err
	}
	return r, err
}

// mixed is apply for all but two whole numbers or two floats.
func (o *operation) mixed(v *evaluation, a, b any) (any, error) {
	x, isX := floatOf(a)
	y, isY := floatOf(b)
	switch {
	case isX && isY && o.float != nil:
		return v.computed(o.float(x, y), x, y), nil
	case a == nil || b == nil:
		return nil, errAbsent
	}
	if isVector(a) || isVector(b) {
		return o.vector(v, a, b)
	}
	if s, ok := a.(string); ok && o.sign == "+" {
		if t, ok := b.(string); ok {
			return v.joined(s, t)
		}
	}
	if isTime(a) && o.other != nil || isTime(b) && o.other != nil {
		return o.other(a, b), nil
	}
	return nil, fmt.Errorf("%s cannot be of %s and %s%s", o.sign, described(a), described(b), o.hint(a, b))
}

// hint says what else there is.
func (o *operation) hint(a, b any) string {
	_, isX := listOf(a)
	_, isY := listOf(b)
	switch {
	case o.float == nil:
		return ": it takes whole numbers"
	case isX && isY && o.sign == "+":
		return ": concat() joins lists"
	}
	return ""
}

// joined returns two texts as one.
func (v *evaluation) joined(s, t string) (any, error) {
	if err := v.spend((len(s) + len(t)) / bytesMade); err != nil {
		return nil, err
	}
	return s + t, nil
}

// floatOf returns any number as a float.
func floatOf(x any) (float64, bool) {
	switch n := x.(type) {
	case float64:
		return n, true
	case oddFloat:
		return math.NaN(), true
	}
	if w, ok := wholeOf(x); ok {
		return w.float(), true
	}
	return 0, false
}

// negate returns the number or vector with the other sign.
func negate(v *evaluation, x any) (any, error) {
	if w, ok := wholeOf(x); ok {
		n, ok := w.negated()
		if !ok {
			return nil, fmt.Errorf("%w: -%v", ErrOverflow, w)
		}
		return n.value(), nil
	}
	if f, ok := floatOf(x); ok {
		return -f, nil
	}
	if p, ok := x.(vector); ok {
		return eachOf(p, func(f float64) float64 { return -f })
	}
	if isTime(x) {
		return runtime.Negate(x), nil
	}
	return nil, cannot("-", x)
}

// positive is the + in front of a number: it stays what it is.
func positive(_ *evaluation, x any) (any, error) {
	if _, ok := floatOf(x); ok || isVector(x) {
		return x, nil
	}
	return nil, cannot("+", x)
}

// cannot says that something is not for such a value.
func cannot(what string, x any) error {
	if x == nil {
		return errAbsent
	}
	return fmt.Errorf("%s cannot be of %s", what, described(x))
}
