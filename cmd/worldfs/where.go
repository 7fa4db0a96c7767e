package main

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
)

// compileWhere makes the test that --where stands for: all entities for "".
func compileWhere(source string) (func(*entity.Entity) (bool, error), error) {
	if source == "" {
		return func(*entity.Entity) (bool, error) { return true, nil }, nil
	}
	x, err := entity.CompileExpression(source)
	if err != nil {
		return nil, usagef("--where: %v", err)
	}
	return func(e *entity.Entity) (bool, error) {
		v, err := x.Evaluate(e)
		if err != nil || v == nil {
			return false, nil // the entity has not what the expression asks about
		}
		b, ok := v.(bool)
		if !ok {
			return false, usagef("--where: %s gives %s for %s, not true or false", source, fmt.Sprint(v), e)
		}
		return b, nil
	}, nil
}
