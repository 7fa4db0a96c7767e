package expression

import "fmt"

func dotProduct(v *evaluation, args []any) (any, error) {
	x, y, err := twoVectors("dot", args)
	if err != nil {
		return nil, err
	}
	return v.computed(dot(x, y), append(x, y...)...), nil
}

func crossProduct(v *evaluation, args []any) (any, error) {
	x, y, err := twoVectors("cross", args)
	if err != nil {
		return nil, err
	}
	if len(x) != 3 {
		return nil, fmt.Errorf("cross takes vectors of 3 components, not %d", len(x))
	}
	out := make(vector, 3)
	for i := range out {
		j, k := (i+1)%3, (i+2)%3
		out[i] = v.computed(float64(x[j]*y[k])-float64(x[k]*y[j]), append(x, y...)...)
	}
	return out, nil
}

func twoVectors(name string, args []any) (x, y []float64, err error) {
	if err := count(args, 2, 2); err != nil {
		return nil, nil, err
	}
	return pairOf(name, args[0], args[1])
}

func vectorLength(v *evaluation, x any) (any, error) {
	c, ok := components(x)
	if !ok {
		return nil, cannot("length", x)
	}
	return v.computed(length(c), c...), nil
}
