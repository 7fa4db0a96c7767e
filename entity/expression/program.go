package expression

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
	"github.com/worldfs/worldfs/entity"
)

// Program is a compiled expression over one entity, in the language of
// github.com/expr-lang/expr. It sees the entity's fields by name (a name with
// dots as nested members), and id, type and revision. field("any name") reads
// a field whose name is no identifier, has("any name") tells whether it is
// there. Vectors and quaternions are lists of their components with members x,
// y, z, w; matrices are lists of their 12 or 16 numbers, row by row; enums are
// their names; flags are lists of names; absent values are nil.
//
// Whole numbers are exact from -2^63 to 2^64-1, and an error beyond; floats are
// f64, rounded once where they are assigned. A ref is the ID that it holds, and
// its members are those of the entity of that ID, in the entities of In.
type Program struct {
	source   string
	compiled *compiled
	entities Entities
}

// Compile compiles source; constants are folded once, here.
func Compile(source string) (*Program, error) {
	return newProgram(source, &rewriter{strict: true})
}

func newProgram(source string, r *rewriter) (*Program, error) {
	c, err := compile(source, config(source), r)
	if err != nil {
		return nil, expressionError(source, err)
	}
	return &Program{source: source, compiled: c}, nil
}

// In returns the expression with refs that lead to the entities given.
func (x *Program) In(entities Entities) *Program {
	in := *x
	in.entities = entities
	return &in
}

// String returns the source.
func (x *Program) String() string { return x.source }

// Evaluate returns the expression's value for the entity.
func (x *Program) Evaluate(e *entity.Entity) (any, error) {
	v, _, err := x.Calculate(e)
	return v, err
}

// Calculate is Evaluate; nonFinite says that there are infinities or NaN in the
// value which were made of finite numbers, as by a division by zero.
func (x *Program) Calculate(e *entity.Entity) (value any, nonFinite bool, err error) {
	v := evaluation{entity: e, entities: x.entities, steps: maxSteps}
	value, err = v.run(x.compiled)
	if err != nil {
		return nil, false, fmt.Errorf("expression %q on %s: %w", clip(x.source), e, err)
	}
	return value, v.nonFinite && hasNonFinite(value), nil
}

// run runs a program for the evaluation's entity.
func (v *evaluation) run(c *compiled) (any, error) {
	env := v.environment(c.reads)
	env[evaluationName] = v
	return v.runIn(c, env)
}

func (v *evaluation) runIn(c *compiled, env map[string]any) (any, error) {
	x, err := vm.Run(c.program, env)
	var at *file.Error
	switch {
	case !errors.As(err, &at):
		return x, err
	case at.Prev != nil:
		return nil, at.Prev
	}
	return nil, errors.New(at.Message)
}

// hasNonFinite reports whether a number or one in a list or a struct is an
// infinity or NaN.
func hasNonFinite(x any) bool {
	if f, ok := floatOf(x); ok {
		return !isFinite(f)
	}
	if m, ok := x.(map[string]any); ok {
		for _, part := range m {
			if hasNonFinite(part) {
				return true
			}
		}
	}
	items, _ := listOf(x)
	for _, item := range items {
		if hasNonFinite(item) {
			return true
		}
	}
	return false
}

// Holds reports whether the condition is true of the entity. One that cannot
// be evaluated, or gives nil, holds unless it is false: in doubt a field is
// saved.
func (x *Program) Holds(e *entity.Entity) bool {
	v, err := x.Evaluate(e)
	if err != nil {
		return true
	}
	b, ok := v.(bool)
	return b || !ok
}

// Is reports whether the condition is true of the entity. One that cannot be
// evaluated, or gives something else, is not: in doubt a change counts.
func (x *Program) Is(e *entity.Entity) bool {
	if x == nil {
		return false
	}
	v, err := x.Evaluate(e)
	b, ok := v.(bool)
	return err == nil && ok && b
}
