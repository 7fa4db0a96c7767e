package expression

import (
	"fmt"
	"math"
	"strconv"

	"github.com/expr-lang/expr/builtin"
)

// function is a function of the language's that is ours.
type function func(v *evaluation, args []any) (any, error)

// replaced are the language's own functions that do not know unsigned numbers,
// vectors, refs or odd floats, or that know no bounds, by ours of the same
// names.
var replaced = map[string]function{
	"abs":   one(absolute),
	"ceil":  one(rounding(math.Ceil)),
	"floor": one(rounding(math.Floor)),
	"round": one(rounding(math.Round)),
	"int":   one(toWhole),
	"float": one(toFloat),
	"type":  one(typeName),
	"min":   extreme(-1), "max": extreme(1),
	"sum": sum, "mean": mean, "median": median,
	"sort": sortList, "sortBy": sortBy, "uniq": distinct,
	"string": one(toText), "toJSON": one(toJSON), "flatten": weighed("flatten"),
	"repeat": repeat, "replace": replace, "join": join,
	"get": get, "keys": one(keys), "values": one(values), "toPairs": one(pairs),
	"bitand":  bitwise(func(a, b uint64) uint64 { return a & b }),
	"bitor":   bitwise(func(a, b uint64) uint64 { return a | b }),
	"bitxor":  bitwise(func(a, b uint64) uint64 { return a ^ b }),
	"bitnand": bitwise(func(a, b uint64) uint64 { return a &^ b }),
	"bitnot":  one(bitNot),
	"bitshl":  shiftLeft, "bitshr": shiftRight, "bitushr": shiftPatternRight,
}

// added are the functions that the language does not have.
var added = func() map[string]function {
	all := map[string]function{
		"div": wholeQuotient, "dot": dotProduct, "cross": crossProduct,
		"length": one(vectorLength), "distance": distance, "clamp": clamp,
	}
	for name, f := range functions1 {
		all[name] = func(v *evaluation, args []any) (any, error) {
			x, err := numbers(name, args, 1)
			if err != nil {
				return nil, err
			}
			return v.computed(f(x[0]), x...), nil
		}
	}
	for name, f := range functions2 {
		all[name] = func(v *evaluation, args []any) (any, error) {
			x, err := numbers(name, args, 2)
			if err != nil {
				return nil, err
			}
			return v.computed(f(x[0], x[1]), x...), nil
		}
	}
	return all
}()

// ofEntity are the functions that read the entity, or others around it.
var ofEntity = map[string]function{
	"field": one(func(v *evaluation, x any) (any, error) {
		name, ok := x.(string)
		if !ok {
			return nil, cannot("field", x)
		}
		return Plain(v.entity, name), nil
	}),
	"has": one(func(v *evaluation, x any) (any, error) {
		name, ok := x.(string)
		if !ok {
			return nil, cannot("has", x)
		}
		return !v.entity.Value(name).IsNull(), nil
	}),
	"near": near, "refers": one(refers), "under": one(under), "random": random,
}

func one(f func(v *evaluation, x any) (any, error)) function {
	return func(v *evaluation, args []any) (any, error) {
		if err := count(args, 1, 1); err != nil {
			return nil, err
		}
		return f(v, args[0])
	}
}

// count says so unless there are as many arguments as a function takes.
func count(args []any, least, most int) error {
	if len(args) >= least && len(args) <= most {
		return nil
	}
	if least == most {
		return fmt.Errorf("the function takes %d arguments, not %d", least, len(args))
	}
	return fmt.Errorf("the function takes %d to %d arguments, not %d", least, most, len(args))
}

func absolute(_ *evaluation, x any) (any, error) {
	if w, ok := wholeOf(x); ok {
		return whole{size: w.size}.value(), nil
	}
	if f, ok := floatOf(x); ok {
		return math.Abs(f), nil
	}
	return nil, cannot("abs", x)
}

// rounding leaves whole numbers what they are.
func rounding(f func(float64) float64) func(*evaluation, any) (any, error) {
	return func(_ *evaluation, x any) (any, error) {
		if w, ok := wholeOf(x); ok {
			return w.value(), nil
		}
		if n, ok := floatOf(x); ok {
			return f(n), nil
		}
		return nil, cannot("rounding", x)
	}
}

// toWhole returns a number without its fraction, or one that is written down.
func toWhole(_ *evaluation, x any) (any, error) {
	if w, ok := wholeOf(x); ok {
		return w.value(), nil
	}
	if f, ok := floatOf(x); ok {
		w, ok := wholeFloat(math.Trunc(f))
		if !ok {
			return nil, fmt.Errorf("%w: int(%v)", ErrOverflow, f)
		}
		return w.value(), nil
	}
	s, ok := x.(string)
	if !ok {
		return nil, cannot("int", x)
	}
	return parseWhole(s, 10)
}

// parseWhole reads a whole number of any size that there is.
func parseWhole(s string, base int) (any, error) {
	if i, err := strconv.ParseInt(s, base, 64); err == nil {
		return wholeInt(i).value(), nil
	}
	u, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no whole number of 64 bits", clip(s))
	}
	return whole{size: u}.value(), nil
}

func toFloat(_ *evaluation, x any) (any, error) {
	switch n := x.(type) {
	case float64, oddFloat:
		return n, nil
	case string:
		f, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", clip(n))
		}
		return f, nil
	}
	if f, ok := floatOf(x); ok {
		return f, nil
	}
	return nil, cannot("float", x)
}

func typeName(_ *evaluation, x any) (any, error) {
	switch x.(type) {
	case reference, uint64:
		return "int", nil
	case oddFloat:
		return "float", nil
	case vector:
		return "vector", nil
	}
	return builtin.Type(x), nil
}

// wholeQuotient is the division of whole numbers without a fraction.
func wholeQuotient(_ *evaluation, args []any) (any, error) {
	a, b, err := twoWhole(args)
	if err != nil {
		return nil, err
	}
	q, _, err := divide("/", a, b)
	return q.value(), err
}
