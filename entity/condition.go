package entity

// Condition is a SaveWhen or an InsignificantWhen of a field that is compiled. It
// reads the entity's own values, and nothing else.
type Condition interface {
	Holds(e *Entity) bool // true unless it is false of the entity: in doubt a field is saved
	Is(e *Entity) bool    // false unless it is true of the entity: in doubt a change counts
}

// compileCondition is what RegisterConditions was given.
var compileCondition func(source string) (Condition, error)

// RegisterConditions sets what compiles the conditions of types. The language is
// that of package entity/expression, which calls this when it is initialized and
// imports this package: so a program that uses types with conditions imports it,
// as all packages do that read types. Without it a type with a condition panics
// where it is validated or laid out: no field is saved, or left out, unasked.
func RegisterConditions(compile func(source string) (Condition, error)) { compileCondition = compile }

// condition compiles a condition of the type's, once. One that does not compile
// is nil. The caller has mu.
func (t *Type) condition(source string) (Condition, error) {
	if c, ok := t.conditions[source]; ok {
		return c, nil
	}
	if compileCondition == nil {
		panic("entity: " + t.subject() + " has conditions, and what compiles them is not linked in: import github.com/worldfs/worldfs/entity/expression")
	}
	c, err := compileCondition(source)
	if err != nil {
		return nil, err
	}
	if t.conditions == nil {
		t.conditions = make(map[string]Condition)
	}
	t.conditions[source] = c
	return c, nil
}
