package expression

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/builtin"
)

func toText(v *evaluation, x any) (any, error) {
	if err := v.weigh(x); err != nil {
		return nil, err
	}
	return builtin.String(x), nil
}

func toJSON(v *evaluation, x any) (any, error) {
	if err := v.weigh(x); err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(x, "", "  ")
	return string(b), err
}

// weighed is a function of the library's that is let near what is not too much.
func weighed(name string) function {
	f := builtin.Builtins[builtin.Index[name]]
	return func(v *evaluation, args []any) (any, error) {
		if err := count(args, 1, 1); err != nil {
			return nil, err
		}
		if err := v.weigh(args[0]); err != nil {
			return nil, err
		}
		out, _, err := f.Safe(args...)
		return out, err
	}
}

// texts returns arguments that have to be texts.
func texts(args ...any) ([]string, error) {
	out := make([]string, len(args))
	for i, x := range args {
		s, ok := x.(string)
		if !ok {
			return nil, cannot("what is for texts", x)
		}
		out[i] = s
	}
	return out, nil
}

func repeat(v *evaluation, args []any) (any, error) {
	if err := count(args, 2, 2); err != nil {
		return nil, err
	}
	s, err := texts(args[0])
	if err != nil {
		return nil, err
	}
	n, err := placeOf(args[1])
	switch {
	case err != nil || n < 0:
		return nil, fmt.Errorf("nothing can be repeated %v times", args[1])
	case n > maxSteps || len(s[0])*n/bytesMade > v.steps:
		return nil, ErrTooLong
	}
	return strings.Repeat(s[0], n), v.spend(len(s[0]) * n / bytesMade)
}

// replace takes a text, what is to be replaced in it, with what, and how often.
func replace(v *evaluation, args []any) (any, error) {
	if err := count(args, 3, 4); err != nil {
		return nil, err
	}
	s, err := texts(args[:3]...)
	if err != nil {
		return nil, err
	}
	n := -1
	if len(args) == 4 {
		if n, err = placeOf(args[3]); err != nil {
			return nil, err
		}
	}
	found := strings.Count(s[0], s[1])
	if n >= 0 {
		found = min(found, n)
	}
	if err := v.spend((len(s[0]) + found*len(s[2])) / bytesMade); err != nil {
		return nil, err
	}
	return strings.Replace(s[0], s[1], s[2], n), nil
}

// join takes a list of texts and what comes between them.
func join(v *evaluation, args []any) (any, error) {
	if err := count(args, 1, 2); err != nil {
		return nil, err
	}
	items, ok := listOf(args[0])
	if !ok {
		return nil, cannot("join", args[0])
	}
	all, err := texts(append(slices.Clone(items), args[1:]...)...)
	if err != nil {
		return nil, err
	}
	glue := ""
	if len(args) == 2 {
		glue = all[len(items)]
	}
	total := len(items) * (16 + len(glue))
	for _, s := range all[:len(items)] {
		total += len(s)
	}
	if err := v.spend(total / bytesMade); err != nil {
		return nil, err
	}
	return strings.Join(all[:len(items)], glue), nil
}
