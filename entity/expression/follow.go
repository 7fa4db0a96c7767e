package expression

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/vm/runtime"
	"github.com/worldfs/worldfs/entity"
)

// reference is a ref as expressions have it: a whole number, whose members are
// those of the entity of that ID.
type reference entity.ID

// maybe stands before a key of a path that is followed only where there is a
// value: a?.b.
type maybe struct{}

var errNotFollowed = errors.New("refs are not followed here: only the entity's own values count")

// path returns what is at the end of keys, as in position.z, targets[0] or
// parent.radius. Beyond a ref what is not there is nil: the entity, or any part
// that it lacks.
func path(v *evaluation, args []any) (any, error) {
	at, keys := args[0], args[1:]
	ends := false // nil ends the path
	for _, key := range keys {
		if key == (maybe{}) {
			if at == nil {
				return nil, nil
			}
			continue
		}
		if at == nil && ends {
			return nil, nil
		}
		_, isRef := at.(reference)
		ends = ends || isRef
		var err error
		if at, err = v.member(at, key); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// member returns one member, component or element.
func (v *evaluation) member(of, key any) (any, error) {
	name, isName := key.(string)
	switch o := of.(type) {
	case nil:
		return nil, fmt.Errorf("%w to read %v of", errAbsent, key)
	case map[string]any:
		if isName {
			return o[name], nil
		}
	case reference:
		if isName {
			return v.target(o, name)
		}
	case vector:
		if i, ok := componentNamed(name, len(o)); ok {
			return o[i], nil
		}
		if !isName {
			return element(o, key)
		}
	case []any:
		if !isName {
			return element(o, key)
		}
	default:
		if !isName || isTime(of) {
			return fetched(of, key)
		}
	}
	return nil, fmt.Errorf("there is no %v in %s", key, described(of))
}

// target returns what a name stands for in the entity that a ref is to.
func (v *evaluation) target(r reference, name string) (any, error) {
	if v.entities == nil {
		return nil, errNotFollowed
	}
	if r == 0 {
		return nil, nil
	}
	e, ok := v.entities.Get(entity.ID(r))
	if !ok {
		return nil, nil
	}
	return read(e, name), v.spend(16)
}

// element returns the element of a list at a place, from its end below zero.
func element(items []any, at any) (any, error) {
	i, err := placeOf(at)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		i += len(items)
	}
	if i < 0 || i >= len(items) {
		return nil, fmt.Errorf("index out of range: [%v] of %d", at, len(items))
	}
	return items[i], nil
}

// placeOf returns a number as a place in a list.
func placeOf(x any) (int, error) {
	w, ok := wholeOf(x)
	if f, isFloat := x.(float64); isFloat {
		w, ok = wholeFloat(f)
	}
	if !ok {
		return 0, cannot("an index", x)
	}
	if i, isInt := w.value().(int); isInt {
		return i, nil
	}
	return 0, fmt.Errorf("index out of range: %v", w)
}

// fetched has the library read a value that only it makes.
func fetched(of, key any) (any, error) {
	if _, isNumber := floatOf(of); isNumber {
		return nil, fmt.Errorf("there is no [%v] in %s", key, described(of))
	}
	if _, isList := listOf(of); isList || isText(of) {
		i, err := placeOf(key)
		if err != nil {
			return nil, err
		}
		key = i
	}
	return runtime.Fetch(of, key), nil
}
