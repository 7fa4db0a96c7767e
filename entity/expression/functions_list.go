package expression

import (
	"fmt"
	"slices"
)

// flat returns numbers, and those in lists of them, in one list.
func (v *evaluation) flat(args []any) (out []any, err error) {
	if err := v.descend(); err != nil {
		return nil, err
	}
	defer v.ascend()
	for _, x := range args {
		if err := v.spend(1); err != nil {
			return nil, err
		}
		if _, ok := floatOf(x); ok {
			out = append(out, x)
			continue
		}
		items, ok := listOf(x)
		if !ok {
			return nil, cannot("the least, the greatest, the sum and the like", x)
		}
		inner, err := v.flat(items)
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// extreme is min for -1, max for 1; nil of nothing.
func extreme(which int) function {
	return func(v *evaluation, args []any) (any, error) {
		all, err := v.flat(args)
		if err != nil {
			return nil, err
		}
		var best any
		for i, x := range all {
			if c, ordered, _ := compareNumbers(x, best); i == 0 || ordered && c == which {
				best = x
			}
		}
		return best, nil
	}
}

// sum adds up the elements of a list.
func sum(v *evaluation, args []any) (total any, err error) {
	if err := count(args, 1, 1); err != nil {
		return nil, err
	}
	items, ok := listOf(args[0])
	if !ok {
		return nil, cannot("sum", args[0])
	}
	for i, x := range items {
		if err := v.spend(1); err != nil {
			return nil, err
		}
		if i == 0 {
			total = x
		} else if total, err = addition.apply(v, total, x); err != nil {
			return nil, err
		}
	}
	if total == nil {
		return 0, nil
	}
	return total, nil
}

func (v *evaluation) floats(args []any) ([]float64, error) {
	all, err := v.flat(args)
	out := make([]float64, len(all))
	for i, x := range all {
		out[i], _ = floatOf(x)
	}
	return out, err
}

func mean(v *evaluation, args []any) (any, error) {
	all, err := v.floats(args)
	if len(all) == 0 {
		return 0.0, err
	}
	total := 0.0
	for _, f := range all {
		total += f
	}
	return v.computed(total/float64(len(all)), all...), nil
}

func median(v *evaluation, args []any) (any, error) {
	all, err := v.floats(args)
	n := len(all)
	if n == 0 {
		return 0.0, err
	}
	slices.Sort(all)
	if n%2 == 1 {
		return all[n/2], nil
	}
	return v.computed((all[n/2-1]+all[n/2])/2, all...), nil
}

// sortList takes a list and "asc" or "desc".
func sortList(v *evaluation, args []any) (any, error) {
	if err := count(args, 1, 2); err != nil {
		return nil, err
	}
	return sortBy(v, append([]any{args[0], args[0]}, args[1:]...))
}

// sortBy takes a list, what it is to be sorted by, and "asc" or "desc".
func sortBy(v *evaluation, args []any) (any, error) {
	if err := count(args, 2, 3); err != nil {
		return nil, err
	}
	items, ok := listOf(args[0])
	by, _ := listOf(args[1])
	if !ok || len(by) != len(items) {
		return nil, cannot("sort", args[0])
	}
	turn := 1
	if len(args) == 3 && args[2] != "asc" {
		if turn = -1; args[2] != "desc" {
			return nil, fmt.Errorf(`the order of sorting is "asc" or "desc"`)
		}
	}
	return v.sorted(items, by, turn)
}

func (v *evaluation) sorted(items, by []any, turn int) (any, error) {
	places := make([]int, len(items))
	for i := range places {
		places[i] = i
	}
	var failed error
	slices.SortStableFunc(places, func(i, j int) int {
		c, ordered, err := compared(v, by[i], by[j])
		if failed == nil {
			failed = err
		}
		if !ordered {
			return 0
		}
		return c * turn
	})
	out := make([]any, len(items))
	for i, at := range places {
		out[i] = items[at]
	}
	if failed == nil {
		failed = v.spend(len(items))
	}
	return out, failed
}

// distinct returns a list's elements, each once.
func distinct(v *evaluation, args []any) (any, error) {
	if err := count(args, 1, 1); err != nil {
		return nil, err
	}
	items, ok := listOf(args[0])
	if !ok {
		return nil, cannot("uniq", args[0])
	}
	out := []any{}
	for _, x := range items {
		there, err := v.hasItem(out, x)
		if err != nil {
			return nil, err
		}
		if !there {
			out = append(out, x)
		}
	}
	return out, nil
}
