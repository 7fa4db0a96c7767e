package expression

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"

	"github.com/worldfs/worldfs/internal/support/portable"
)

// The functions that expressions have beside the language's own (abs, ceil,
// floor, round, min, max): angles are in radians. A condition that says what is saved
// may call them, so one text gives one pack only if their bits are the same everywhere.
var functions1 = map[string]func(float64) float64{
	"sin": portable.Sin, "cos": portable.Cos, "tan": portable.Tan,
	"asin": portable.Asin, "acos": portable.Acos, "atan": portable.Atan,
	"sqrt": math.Sqrt, "exp": portable.Exp, "log": portable.Log,
	"radians": portable.Radians, "degrees": portable.Degrees,
}

var functions2 = map[string]func(a, b float64) float64{
	"atan2": portable.Atan2, "pow": portable.Pow, "hypot": portable.Hypot,
}

// numbers returns the arguments of a function that takes n numbers.
func numbers(name string, args []any, n int) ([]float64, error) {
	if len(args) != n {
		return nil, fmt.Errorf("%s takes %d numbers, not %d", name, n, len(args))
	}
	out := make([]float64, n)
	for i, a := range args {
		f, ok := floatOf(a)
		if !ok {
			return nil, cannot(name, a)
		}
		out[i] = f
	}
	return out, nil
}

// Compute returns the value of an expression of constants, as 2*sin(pi/4): a
// bool, an int, a uint64 where it is beyond that, a float64 or a string.
func Compute(source string) (any, error) {
	v := evaluation{steps: maxSteps}
	env := map[string]any{"pi": math.Pi, evaluationName: &v}
	c := conf.New(env)
	c.Optimize = false
	for _, name := range builtin.Names {
		disable(c, name)
	}
	for _, name := range computable {
		delete(c.Disabled, name)
	}
	made, err := compile(source, c, &rewriter{strict: true, constant: true})
	if err != nil {
		return nil, expressionError(source, err)
	}
	x, err := v.runIn(made, env)
	if err != nil {
		return nil, expressionError(source, err)
	}
	switch x.(type) {
	case bool, int, uint64, float64, string:
		return x, nil
	}
	return nil, fmt.Errorf("expression %q gives no single value", clip(source))
}
