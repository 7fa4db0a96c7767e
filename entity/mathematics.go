package entity

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr"
)

// The functions that expressions have beside the language's own (abs, ceil,
// floor, round, min, max): angles are in radians.
var functions1 = map[string]func(float64) float64{
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	"asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log,
	"radians": func(degrees float64) float64 { return degrees * math.Pi / 180 },
	"degrees": func(radians float64) float64 { return radians * 180 / math.Pi },
}

var functions2 = map[string]func(a, b float64) float64{
	"atan2": math.Atan2, "pow": math.Pow, "hypot": math.Hypot,
}

// mathematics are the options that give an expression these functions.
var mathematics = mathematicsOptions()

func mathematicsOptions() (options []expr.Option) {
	for name, f := range functions1 {
		options = append(options, expr.Function(name, func(args ...any) (any, error) {
			x, err := numbers(name, args, 1)
			if err != nil {
				return nil, err
			}
			return f(x[0]), nil
		}))
	}
	for name, f := range functions2 {
		options = append(options, expr.Function(name, func(args ...any) (any, error) {
			x, err := numbers(name, args, 2)
			if err != nil {
				return nil, err
			}
			return f(x[0], x[1]), nil
		}))
	}
	return options
}

// numbers returns the arguments of a function that takes n numbers.
func numbers(name string, args []any, n int) ([]float64, error) {
	if len(args) != n {
		return nil, fmt.Errorf("%s takes %d numbers, not %d", name, n, len(args))
	}
	out := make([]float64, n)
	for i, a := range args {
		switch x := a.(type) {
		case float64:
			out[i] = x
		case int:
			out[i] = float64(x)
		default:
			return nil, fmt.Errorf("%s takes numbers, not %T", name, a)
		}
	}
	return out, nil
}

// computable are the language's own functions that a constant may use: none
// that loops, since a text may come from anybody.
var computable = []string{"abs", "ceil", "floor", "round", "min", "max", "int", "float"}

// Compute returns the value of an expression of constants, as 2*sin(pi/4): a
// bool, an int, a float64 or a string.
func Compute(source string) (any, error) {
	env := map[string]any{"pi": math.Pi}
	options := append([]expr.Option{expr.Env(env), expr.DisableAllBuiltins()}, mathematics...)
	for _, name := range computable {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(source, options...)
	if err != nil {
		return nil, expressionError(source, err)
	}
	v, err := expr.Run(program, env)
	if err != nil {
		return nil, expressionError(source, err)
	}
	switch v.(type) {
	case bool, int, float64, string:
		return v, nil
	}
	return nil, fmt.Errorf("expression %q gives no single value", clip(source))
}
