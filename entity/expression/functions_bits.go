package expression

import (
	"fmt"
	"math"
	"slices"
)

func bitwise(f func(a, b uint64) uint64) function {
	return func(_ *evaluation, args []any) (any, error) {
		a, b, err := twoWhole(args)
		if err != nil {
			return nil, err
		}
		return fromPattern(f(a.pattern(), b.pattern()), a, b), nil
	}
}

// fromPattern returns 64 bits as a number: an unsigned one if one of those that
// they come from is beyond the signed ones.
func fromPattern(bits uint64, of ...whole) any {
	if slices.ContainsFunc(of, func(w whole) bool { return !w.negative && w.size > math.MaxInt64 }) {
		return whole{size: bits}.value()
	}
	return wholeInt(int64(bits)).value()
}

func bitNot(_ *evaluation, x any) (any, error) {
	w, ok := wholeOf(x)
	if !ok {
		return nil, cannot("bitnot", x)
	}
	return fromPattern(^w.pattern(), w), nil
}

// shiftLeft multiplies by a power of two: bits that it would lose are an
// overflow.
func shiftLeft(_ *evaluation, args []any) (any, error) {
	a, n, err := shifted(args)
	if err != nil {
		return nil, err
	}
	factor := whole{size: 1 << n}
	if r, ok := a.times(factor); ok && n < 64 || a.size == 0 {
		return r.value(), nil
	}
	return nil, fmt.Errorf("%w: bitshl(%v, %d)", ErrOverflow, a, n)
}

func shiftRight(_ *evaluation, args []any) (any, error) {
	a, n, err := shifted(args)
	if err != nil {
		return nil, err
	}
	if i, ok := a.int64(); ok {
		return wholeInt(i >> n).value(), nil
	}
	return whole{size: a.size >> n}.value(), nil
}

func shiftPatternRight(_ *evaluation, args []any) (any, error) {
	a, n, err := shifted(args)
	if err != nil {
		return nil, err
	}
	return whole{size: a.pattern() >> n}.value(), nil
}

func shifted(args []any) (a whole, n uint64, err error) {
	a, by, err := twoWhole(args)
	if err == nil && by.negative {
		err = fmt.Errorf("nothing can be shifted by %v", by)
	}
	return a, by.size, err
}

func twoWhole(args []any) (a, b whole, err error) {
	if err := count(args, 2, 2); err != nil {
		return a, b, err
	}
	a, isA := wholeOf(args[0])
	b, isB := wholeOf(args[1])
	switch {
	case args[0] == nil || args[1] == nil:
		err = errAbsent
	case !isA || !isB:
		err = fmt.Errorf("whole numbers are needed, not %s and %s", described(args[0]), described(args[1]))
	}
	return a, b, err
}
