package cli

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// Selection is what --where chooses; all entities for "".
type Selection struct {
	x       *expression.Program
	failed  int // how many entities overflowed or the like
	failure error
}

// noteUndeclared says which names in an expression no type has a field of, where no types
// are known.
func noteUndeclared(note func(string), x *expression.Program, types *entity.Types) {
	for _, name := range x.Undeclared(types) {
		note(fmt.Sprintf("%s: no type has a field %s: no type is declared here", x, name))
	}
}

// CompileWhere reads --where.
func CompileWhere(source string) (*Selection, error) {
	if source == "" {
		return &Selection{}, nil
	}
	x, err := expression.Compile(source)
	if err != nil {
		return nil, Usagef("--where: %v", err)
	}
	return &Selection{x: x}, nil
}

// In begins anew, with refs that lead to the entities given.
func (s *Selection) In(entities expression.Entities) {
	if s.failed = 0; s.x != nil {
		s.x = s.x.In(entities)
	}
}

// Has reports whether the entity is chosen. One that has not what the expression
// asks about is not.
func (s *Selection) Has(e *entity.Entity) (bool, error) {
	if s.x == nil {
		return true, nil
	}
	v, err := s.x.Evaluate(e)
	if err != nil {
		s.note(err)
		return false, nil
	}
	b, ok := v.(bool)
	if !ok && v != nil {
		return false, Usagef("--where: %s gives %s for %s, not true or false", s.x, expression.Described(v), e)
	}
	return b, nil
}

// note counts what could be calculated of no entity, whatever it has.
func (s *Selection) note(err error) {
	for _, whatever := range []error{expression.ErrOverflow, expression.ErrDivision, expression.ErrTooLong} {
		if errors.Is(err, whatever) {
			if s.failed++; s.failed == 1 {
				s.failure = err
			}
			return
		}
	}
}

// Report says which entities were left out although they have all that was asked
// about.
func (s *Selection) Report(say func(string)) {
	if s.failed > 0 {
		say(fmt.Sprintf("--where: left out %s: %v", Counted(s.failed, "entity", "entities"), s.failure))
	}
}
