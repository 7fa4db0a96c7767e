package expression_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/entity/expression"
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
		{Name: "counts", Shape: entity.Shape{Kind: entity.KindArray, Of: &entity.Shape{Kind: entity.KindI32}}},
		{Name: "lamps", Shape: entity.Shape{Kind: entity.KindArray, Key: "name", Of: &entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
			{Name: "name", Shape: entity.Shape{Kind: entity.KindString}},
			{Name: "at", Shape: entity.Shape{Kind: entity.KindVec2}},
		}}}},
		{Name: "big", Shape: entity.Shape{Kind: entity.KindU64}},
	}}
	e := entity.New(7, typ.Current())
	set := func(name string, v entity.Value) { e.Values[e.Layout.Index(name)] = v }
	set("Transform.pos", entity.VecOf(entity.KindVec3, 1, 2, 3))
	set("radius", entity.F32Of(2))
	set("counts", entity.NewList(entity.KindArray, []entity.Value{i32(5), i32(6), i32(7)}))
	set("lamps", entity.NewList(entity.KindArray, []entity.Value{lamp("a"), lamp("b")}))
	set("big", entity.NewUint(entity.KindU64, math.MaxUint64))
	return e
}

func i32(n int64) entity.Value { return entity.NewInt(entity.KindI32, n) }

func lamp(name string) entity.Value {
	return entity.NewStruct([]entity.Value{entity.NewString(name), entity.VecOf(entity.KindVec2)})
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
		{"targets", "1..3", "targets == [1, 2, 3]"},
		{"Transform.pos", "Transform.pos + [0, 0, 1]", "Transform.pos == [1, 2, 4]"},
		{"Transform.pos", "[1, 1, 1] - Transform.pos * 2", "Transform.pos == [-1, -3, -5]"},
		{"Transform.pos", "-Transform.pos / 2", "Transform.pos == [-0.5, -1, -1.5]"},
		{"Transform.pos[2]", "7", "Transform.pos.z == 7"},
		{"Transform.pos[-3]", "7", "Transform.pos.x == 7"},
		{"counts[1]", "counts[0] * 2", "counts == [5, 10, 7]"},
		{"counts[-1]", "0", "counts == [5, 6, 0]"},
		{"lamps[1].at.y", "2.5", "lamps[1].at == [0, 2.5] && lamps[0].at == [0, 0]"},
		{"lamps[0].name", `"c"`, `lamps[0].name == "c"`},
		{"big", "big - 1", "big == 18446744073709551614"},
		{"big", "2 ** 63", "big == 9223372036854775808"},
		{"note", "nil", "note == nil"},
	} {
		x, err := expression.Compile(c.expression)
		require.NoError(t, err)
		v, err := x.Evaluate(panel())
		require.NoError(t, err)
		n, err := expression.Assign(panel(), c.path, v)
		require.NoError(t, err, c.path)
		require.NoError(t, n.Validate())
		check, err := expression.Compile(c.check)
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
		{"Transform.pos[3]", 1, "it has 3 components"}, {"Transform.pos[-4]", 1, "it has 3 components"},
		{"Transform.pos[z]", 1, "whole number"}, {"Transform.pos.x.y", 1, "no part"}, {"Transform.pos[0]z", 1, "behind a bracket"},
		{"counts[3]", 1, "it has 3 elements"}, {"counts.x", 1, "[0] is the first"}, {"counts[0].x", 1, "no part"},
		{"targets[0]", 1, "set all of it"}, {"lamps[1].name", "a", "another element has the same name"},
		{"big", 1.8e19, "not exact"}, {"big", -1, "beyond the range"}, {"big", math.NaN(), "no whole number"},
		{"light.volts", 1, "no member"}, {"nothing", 1, "no such field"}, {"note.x", 1, "no value"},
	} {
		_, err := expression.Assign(panel(), c.path, c.x)
		require.ErrorIs(t, err, entity.ErrInvalid)
		require.ErrorContains(t, err, c.reason)
		require.ErrorContains(t, err, "Panel 7, field "+c.path)
	}
}

// A field set to what an expression reads of it stays what it was, bit for bit:
// NaN payloads, and numbers beyond 2^63, too.
func TestAssigningAFieldToItselfChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entitytest.Entity(7, entitytest.Type().Draw(t, "type")).Draw(t, "entity")
		for i, f := range e.Layout.Fields {
			n, err := expression.Assign(e, f.Name, expression.Plain(e, f.Name))
			require.NoError(t, err, "field %q", f.Name)
			require.True(t, n.Values[i].Equal(e.Values[i]), "field %q", f.Name)
		}
	})
}
