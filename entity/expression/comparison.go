package expression

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm/runtime"
)

// compareNumbers compares two numbers exactly, whatever they are held as; ok is
// false where one is no number, ordered where one is NaN.
func compareNumbers(a, b any) (c int, ordered, ok bool) {
	x, wholeX := wholeOf(a)
	y, wholeY := wholeOf(b)
	if wholeX && wholeY {
		return x.compare(y), true, true
	}
	f, isF := floatOf(a)
	g, isG := floatOf(b)
	switch {
	case !isF || !isG:
		return 0, false, false
	case f != f || g != g:
		return 0, false, true
	case wholeX:
		return x.compareFloat(g), true, true
	case wholeY:
		return -y.compareFloat(f), true, true
	}
	return cmp.Compare(f, g), true, true
}

// ordering is an operator that asks which of two comes first.
type ordering struct {
	sign string
	is   func(c int) bool
}

func (o ordering) apply(v *evaluation, a, b any) (any, error) {
	c, ordered, err := compared(v, a, b)
	if err != nil && err != errAbsent {
		err = fmt.Errorf("%s cannot be of %s and %s", o.sign, described(a), described(b))
	}
	return ordered && o.is(c), err
}

var errUnordered = errors.New("what is to be ordered is neither all numbers nor all texts")

// compared returns how two numbers, texts or times compare. -0 is 0.
func compared(v *evaluation, a, b any) (c int, ordered bool, err error) {
	if c, ordered, ok := compareNumbers(a, b); ok {
		return c, ordered, nil
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return strings.Compare(s, t), true, v.spend(min(len(s), len(t)) / bytesRead)
		}
	}
	switch {
	case a == nil || b == nil:
		return 0, false, errAbsent
	case !isTime(a) || reflect.TypeOf(a) != reflect.TypeOf(b):
		return 0, false, errUnordered
	case runtime.Less(a, b):
		return -1, true, nil
	case runtime.Less(b, a):
		return 1, true, nil
	}
	return 0, true, nil
}

// isTime reports whether x is a time or a duration, of which expressions have
// the library's ideas.
func isTime(x any) bool {
	switch x.(type) {
	case time.Time, time.Duration:
		return true
	}
	return false
}

// equal reports whether two values are the same: numbers by what they are, and
// lists, vectors and structs part by part.
func equal(v *evaluation, a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == nil && b == nil, nil
	}
	if c, ordered, ok := compareNumbers(a, b); ok {
		return ordered && c == 0, nil
	}
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y, v.spend(len(x) / bytesRead)
	case bool:
		y, ok := b.(bool)
		return ok && x == y, nil
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return equalMembers(v, x, y)
		}
	}
	return equalOther(v, a, b)
}

func equalOther(v *evaluation, a, b any) (bool, error) {
	x, isX := listOf(a)
	y, isY := listOf(b)
	switch {
	case isX && isY && len(x) != len(y):
		return false, v.spend(min(len(x), len(y)) / 16)
	case isX && isY:
		return equalItems(v, x, y)
	case isX || isY:
		return equalNamed(v, a, b)
	case isTime(a) || isTime(b):
		return runtime.Equal(a, b), nil
	}
	return reflect.DeepEqual(a, b), nil
}

func equalItems(v *evaluation, x, y []any) (bool, error) {
	if err := v.descend(); err != nil {
		return false, err
	}
	defer v.ascend()
	for i := range x {
		if err := v.spend(1); err != nil {
			return false, err
		}
		if same, err := equal(v, x[i], y[i]); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func equalMembers(v *evaluation, x, y map[string]any) (bool, error) {
	if len(x) != len(y) {
		return false, nil
	}
	if err := v.descend(); err != nil {
		return false, err
	}
	defer v.ascend()
	for name := range x {
		if err := v.spend(1); err != nil {
			return false, err
		}
		other, there := y[name]
		if same, err := equal(v, x[name], other); !there || !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// equalNamed compares a vector with {x: 1, y: 2, z: 3}.
func equalNamed(v *evaluation, a, b any) (bool, error) {
	p, ok := a.(vector)
	if !ok {
		if p, ok = b.(vector); !ok {
			return false, nil
		}
		b = a
	}
	if m, ok := b.(map[string]any); ok && len(p) <= len(componentNames) {
		return equalMembers(v, named(p), m)
	}
	return false, nil
}

func named(p vector) map[string]any {
	m := make(map[string]any, len(p))
	for i, c := range p {
		m[componentNames[i]] = c
	}
	return m
}

// contains reports whether x is an element of a list, a member of a struct, a
// component of a vector.
func contains(v *evaluation, x, in any) (bool, error) {
	switch s := in.(type) {
	case nil:
		return false, nil
	case *choices:
		return s.has(v, x)
	case map[string]any:
		name, ok := x.(string)
		_, there := s[name]
		return ok && there, nil
	case vector:
		if name, ok := x.(string); ok {
			_, there := componentNamed(name, len(s))
			return there, nil
		}
	}
	items, ok := listOf(in)
	if !ok {
		return false, cannot("in", in)
	}
	if _, asItIs := in.([]any); !asItIs {
		if err := v.spend(len(items)); err != nil {
			return false, err
		}
	}
	return v.hasItem(items, x)
}

func (v *evaluation) hasItem(items []any, x any) (bool, error) {
	for _, item := range items {
		if err := v.spend(1); err != nil {
			return false, err
		}
		if same, err := equal(v, item, x); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

// choices are the constants of a list that an expression looks something up in.
type choices struct {
	items   []any
	index   map[any]bool // the texts and whole numbers among them
	indexed bool         // there are no others
}

func newChoices(items []any) *choices {
	c := &choices{items: items, index: make(map[any]bool), indexed: true}
	for _, item := range items {
		switch w, whole := wholeOf(item); {
		case whole:
			c.index[w] = true
		case isText(item):
			c.index[item] = true
		default:
			c.indexed = false
		}
	}
	return c
}

func isText(x any) bool { _, ok := x.(string); return ok }

func (c *choices) has(v *evaluation, x any) (bool, error) {
	if isText(x) {
		return c.index[x], nil
	}
	if w, ok := wholeOf(x); ok && (c.index[w] || c.indexed) {
		return c.index[w], nil
	}
	return v.hasItem(c.items, x)
}

// listOf returns what is a list to the language as one.
func listOf(x any) ([]any, bool) {
	switch l := x.(type) {
	case []any:
		return l, true
	case vector:
		return l, true
	case *choices:
		return l.items, true
	case nil, string, map[string]any:
		return nil, false
	}
	r := reflect.ValueOf(x)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return nil, false
	}
	items := make([]any, r.Len())
	for i := range items {
		items[i] = r.Index(i).Interface()
	}
	return items, true
}

// Described returns what an expression's value is, as messages say it.
func Described(x any) string { return described(x) }

func described(x any) string {
	switch p := x.(type) {
	case nil:
		return "nothing"
	case bool:
		return fmt.Sprint(p)
	case string:
		return "a text"
	case reference:
		return "a ref"
	case vector:
		if hasNonFinite(p) {
			return fmt.Sprintf("the vector %v", []any(p))
		}
		return fmt.Sprintf("a vector of %d components", len(p))
	case map[string]any:
		return "a struct"
	}
	if w, ok := wholeOf(x); ok {
		return "the number " + w.String()
	}
	if f, ok := floatOf(x); ok {
		return fmt.Sprintf("the float %v", f)
	}
	if items, ok := listOf(x); ok {
		return fmt.Sprintf("a list of %d", len(items))
	}
	return fmt.Sprintf("a %T", x)
}
