package main

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
)

// noteUndeclared says which names in an expression no type has a field of:
// mostly they are misspelt, and then nothing is found.
func noteUndeclared(note func(string), x *entity.Expression, types *entity.Types) {
	for _, name := range x.Undeclared(types) {
		note(fmt.Sprintf("%s: no type has a field %s", x, name))
	}
}

// compileWhere makes the test that --where stands for of an expression: all
// entities for nil.
func compileWhere(x *entity.Expression) func(*entity.Entity) (bool, error) {
	if x == nil {
		return func(*entity.Entity) (bool, error) { return true, nil }
	}
	return func(e *entity.Entity) (bool, error) {
		v, err := x.Evaluate(e)
		if err != nil || v == nil {
			return false, nil // the entity has not what the expression asks about
		}
		b, ok := v.(bool)
		if !ok {
			return false, usagef("--where: %s gives %s for %s, not true or false", x, fmt.Sprint(v), e)
		}
		return b, nil
	}
}
