package expression

import (
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/portable"
)

// vector is a vector, quaternion or matrix as expressions have it: its
// components as f64, or as oddFloat. Calculations are in f64; what becomes of
// them in a field is rounded once. It is a list to the language's own functions.
type vector []any

func isVector(x any) bool { _, ok := x.(vector); return ok }

// plainVector returns a value with components as the language has it.
func plainVector(v entity.Value) vector {
	p := make(vector, v.Kind().Components())
	for i := range p {
		p[i] = plainF32(v.Component(i))
	}
	return p
}

var componentNames = [4]string{"x", "y", "z", "w"}

// componentNamed returns the place of the component of that name among n: only
// vectors and quaternions have names for theirs.
func componentNamed(name string, n int) (int, bool) {
	i := slices.Index(componentNames[:], name)
	return i, i >= 0 && i < n && n <= len(componentNames)
}

// vector returns what the operation makes of two values of which one is a
// vector.
func (o *operation) vector(v *evaluation, a, b any) (any, error) {
	if o.vectors {
		x, isX := components(a)
		y, isY := components(b)
		if isX && isY {
			return o.componentwise(v, x, y)
		}
	}
	if y, ok := floatOf(b); ok && o.scales {
		return eachOf(a.(vector), func(x float64) float64 { return v.computed(o.float(x, y), x, y) })
	}
	if x, ok := floatOf(a); ok && o.scaled {
		return eachOf(b.(vector), func(y float64) float64 { return v.computed(o.float(x, y), x, y) })
	}
	return nil, fmt.Errorf("%s cannot be of %s and %s", o.sign, described(a), described(b))
}

func (o *operation) componentwise(v *evaluation, x, y []float64) (any, error) {
	if len(x) != len(y) {
		return nil, fmt.Errorf("%s of %d components and %d", o.sign, len(x), len(y))
	}
	out := make(vector, len(x))
	for i := range x {
		out[i] = v.computed(o.float(x[i], y[i]), x[i], y[i])
	}
	return out, nil
}

// eachOf returns the vector with a function of each component.
func eachOf(p vector, f func(float64) float64) (any, error) {
	x, ok := components(p)
	if !ok {
		return nil, fmt.Errorf("not all of its components are numbers")
	}
	out := make(vector, len(x))
	for i := range x {
		out[i] = f(x[i])
	}
	return out, nil
}

// components returns a vector, or a list of numbers, as floats.
func components(x any) ([]float64, bool) {
	var items []any
	switch p := x.(type) {
	case vector:
		items = p
	case []any:
		items = p
	default:
		return nil, false
	}
	out := make([]float64, len(items))
	for i, item := range items {
		f, ok := floatOf(item)
		if !ok {
			return nil, false
		}
		out[i] = f
	}
	return out, true
}

// dot returns the sum of the products of components. Each product is rounded,
// on machines too that could do without.
func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += float64(x[i] * y[i])
	}
	return sum
}

func length(x []float64) (sum float64) {
	for _, f := range x {
		sum = portable.Hypot(sum, f)
	}
	return sum
}

// pairOf returns the two vectors that a function takes.
func pairOf(name string, a, b any) (x, y []float64, err error) {
	x, isX := components(a)
	y, isY := components(b)
	switch {
	case a == nil || b == nil:
		return nil, nil, errAbsent
	case !isX || !isY:
		return nil, nil, fmt.Errorf("%s takes two vectors, not %s and %s", name, described(a), described(b))
	case len(x) != len(y):
		return nil, nil, fmt.Errorf("%s of %d components and %d", name, len(x), len(y))
	}
	return x, y, nil
}
