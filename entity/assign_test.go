package entity_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

func panel() *entity.Entity {
	typ := &entity.Type{Name: "Panel", Revision: 1, Fields: []*entity.Field{
		{Name: "Transform.pos", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "count", Shape: entity.Shape{Kind: entity.KindU8}},
		{Name: "state", Shape: entity.Shape{Kind: entity.KindEnum, Names: []entity.Name{{Name: "off"}, {Name: "on", Number: 1}}}},
		{Name: "flags", Shape: entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "lit"}, {Name: "far", Number: 3}}}},
		{Name: "note", Shape: entity.Shape{Kind: entity.KindString, Optional: true}},
		{Name: "light", Shape: entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
			{Name: "watts", Shape: entity.Shape{Kind: entity.KindI32}},
			{Name: "colour", Shape: entity.Shape{Kind: entity.KindVec2}},
		}}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindRef}}},
	}}
	e := entity.New(7, typ.Current())
	e.Values[0] = entity.VecOf(entity.KindVec3, 1, 2, 3)
	e.Values[1] = entity.F32Of(2)
	return e
}

func TestAssigningWhatAnExpressionGives(t *testing.T) {
	for _, c := range []struct{ path, expression, check string }{
		{"radius", "radius * 1.5", "radius == 3"},
		{"Transform.pos.z", "Transform.pos.z + 0.5", "Transform.pos.z == 3.5 && Transform.pos.x == 1"},
		{"Transform.pos", "[4, 5, 6.5]", "Transform.pos.z == 6.5"},
		{"Transform.pos", "Transform.pos", "Transform.pos.y == 2"},
		{"count", "round(2.6)", "count == 3"},
		{"state", `"on"`, `state == "on"`},
		{"flags", `["lit", "far"]`, `flags == ["lit", "far"]`},
		{"note", `"x" + "y"`, `note == "xy"`},
		{"light.watts", "60", "light.watts == 60"},
		{"light.colour.y", "sin(pi / 2)", "light.colour.y == 1"},
		{"targets", "[9, 3, 9]", "targets == [3, 9]"},
		{"note", "nil", "note == nil"},
	} {
		x, err := entity.CompileExpression(c.expression)
		require.NoError(t, err)
		v, err := x.Evaluate(panel())
		require.NoError(t, err)
		n, err := panel().Assign(c.path, v)
		require.NoError(t, err, c.path)
		require.NoError(t, n.Validate())
		check, err := entity.CompileExpression(c.check)
		require.NoError(t, err)
		held, err := check.Evaluate(n)
		require.NoError(t, err)
		require.Equal(t, true, held, "%s = %s", c.path, c.expression)
	}
}

func TestWhatDoesNotFitIsRefusedWithTheField(t *testing.T) {
	for _, c := range []struct {
		path   string
		x      any
		reason string
	}{
		{"radius", "far", "is no f32"}, {"radius", 1e300, "beyond the range"}, {"radius", nil, "not optional"},
		{"count", 256, "beyond the range"}, {"count", 2.5, "no whole number"}, {"count", -1, "beyond the range"},
		{"state", "half", "none of its names"}, {"flags", []any{"lit", "dim"}, "none of its names"},
		{"Transform.pos", []any{1, 2}, "3 components"}, {"Transform.pos.w", 1, "no part"},
		{"light.volts", 1, "no member"}, {"nothing", 1, "no such field"}, {"note.x", 1, "no value"},
	} {
		_, err := panel().Assign(c.path, c.x)
		require.ErrorIs(t, err, entity.ErrInvalid)
		require.ErrorContains(t, err, c.reason)
		require.ErrorContains(t, err, "Panel 7, field "+c.path)
	}
}

// A field set to what an expression reads of it stays what it was, unless the
// language has no such value.
func TestAssigningAFieldToItselfChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entitytest.Entity(7, entitytest.Type().Draw(t, "type")).Draw(t, "entity")
		for i, f := range e.Layout.Fields {
			if !isScalar(f.Kind) {
				continue
			}
			n, err := e.Assign(f.Name, e.Plain(f.Name))
			if err != nil {
				continue // an integer beyond the language's
			}
			require.True(t, n.Values[i].Equal(e.Values[i]), "field %q", f.Name)
		}
	})
}

func isScalar(k entity.Kind) bool {
	return k == entity.KindBool || k == entity.KindString || k == entity.KindI32 || k == entity.KindU8 ||
		k == entity.KindEnum || k == entity.KindRef || k == entity.KindGUID
}
