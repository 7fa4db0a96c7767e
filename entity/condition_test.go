package entity

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// locked is true of entities whose first field is.
type locked struct{}

func (locked) Holds(e *Entity) bool { return e.Values[0].Bool() }
func (locked) Is(e *Entity) bool    { return e.Values[0].Bool() }

// conditioned returns a type with a condition of its own language, which compile
// knows until the test ends.
func conditioned(t *testing.T, compile func(source string) (Condition, error)) *Type {
	was := compileCondition
	t.Cleanup(func() { RegisterConditions(was) })
	RegisterConditions(compile)
	return &Type{Name: "Door", Revision: 1, Fields: []*Field{
		{Name: "locked", Shape: Shape{Kind: KindBool}},
		{Name: "code", Shape: Shape{Kind: KindU8}, SaveWhen: "it is locked", InsignificantWhen: "it is locked"},
	}}
}

func TestAConditionIsCompiledOnce(t *testing.T) {
	compiled := 0
	typ := conditioned(t, func(source string) (Condition, error) {
		compiled++
		require.Equal(t, "it is locked", source)
		return locked{}, nil
	})
	require.NoError(t, typ.Validate())
	e := New(1, typ.Current())
	require.False(t, e.SavesField(1))
	require.Equal(t, []string{"code"}, e.Canonicalize())

	old := New(1, typ.Layout(2))
	old.Values[0] = NewBool(true)
	changed := old.Clone()
	changed.Values[1] = NewUint(KindU8, 5)
	_, noise := Quieten(old, changed)
	require.Equal(t, Noise{Insignificant: 1}, noise)
	require.Equal(t, 1, compiled)
}

// One that does not compile is refused, and an entity of its type is saved whole.
func TestAConditionThatDoesNotCompile(t *testing.T) {
	typ := conditioned(t, func(string) (Condition, error) { return nil, errors.New("no such words") })
	require.ErrorContains(t, typ.Validate(), `type "Door", field code: no such words`)
	e := New(1, typ.Current())
	require.True(t, e.SavesField(1))
	require.Empty(t, e.Canonicalize())
	changed := e.Clone()
	changed.Values[1] = NewUint(KindU8, 5)
	quiet, noise := Quieten(e, changed)
	require.Same(t, changed, quiet)
	require.Zero(t, noise)
}

// Nothing is decided about what is saved where the language is not linked in.
func TestConditionsNeedTheirLanguage(t *testing.T) {
	typ := conditioned(t, nil)
	require.PanicsWithValue(t, `entity: type "Door" has conditions, and what compiles them is not linked in: import github.com/worldfs/worldfs/entity/expression`,
		func() { _ = typ.Validate() })
	require.Panics(t, func() { typ.Current() })
	plain := &Type{Name: "Rock", Revision: 1, Fields: typ.Fields[:1]}
	require.NoError(t, plain.Validate())
	require.Empty(t, New(1, plain.Current()).Canonicalize())
}
