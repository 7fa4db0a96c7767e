package expression

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// get is a member or an element, nil where there is none.
func get(v *evaluation, args []any) (any, error) {
	if err := count(args, 2, 2); err != nil {
		return nil, err
	}
	if _, isRef := args[0].(reference); args[0] == nil || isRef {
		return path(v, append([]any{args[0], maybe{}}, args[1]))
	}
	x, err := v.member(args[0], args[1])
	if err != nil {
		return nil, nil
	}
	return x, nil
}

// members returns what is in a struct, or in groups, in the order of the names.
func members(what string, x any) (names, values []any, err error) {
	if p, isVector := x.(vector); isVector && len(p) <= len(componentNames) {
		x = named(p)
	}
	m := reflect.ValueOf(x)
	if m.Kind() != reflect.Map {
		return nil, nil, cannot(what, x)
	}
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	for _, k := range keys {
		names, values = append(names, k.Interface()), append(values, m.MapIndex(k).Interface())
	}
	return names, values, nil
}

func keys(_ *evaluation, x any) (any, error) {
	names, _, err := members("keys", x)
	return names, err
}

func values(_ *evaluation, x any) (any, error) {
	_, values, err := members("values", x)
	return values, err
}

func pairs(_ *evaluation, x any) (any, error) {
	names, values, err := members("toPairs", x)
	out := make([]any, len(names))
	for i := range names {
		out[i] = []any{names[i], values[i]}
	}
	return out, err
}
