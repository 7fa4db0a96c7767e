package expression_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

func TestExpressionsSeeFields(t *testing.T) {
	typ := &entity.Type{Name: "T", Revision: 1, Fields: []*entity.Field{
		{Name: "Transform.pos", Shape: entity.Shape{Kind: entity.KindVec2}},
		{Name: "Transform.parent", Shape: entity.Shape{Kind: entity.KindRef, Optional: true}},
		{Name: "odd name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "state", Shape: entity.Shape{Kind: entity.KindEnum, Names: []entity.Name{{Name: "open", Number: 3}}}},
		{Name: "bits", Shape: entity.Shape{Kind: entity.KindFlags, Names: []entity.Name{{Name: "lit", Number: 2}}}},
	}}
	e := entity.New(9, typ.Current())
	e.Values[0] = entity.VecOf(entity.KindVec2, 1.5, -2)
	e.Values[2] = entity.NewString("x")
	e.Values[3] = entity.NewInt(entity.KindEnum, 3)
	e.Values[4] = entity.NewUint(entity.KindFlags, 4)
	for _, source := range []string{
		`Transform.pos.x == 1.5 && Transform.pos.y < 0`, `Transform.parent == nil`, `!has("Transform.parent")`,
		`field("odd name") == "x"`, `state == "open"`, `"lit" in bits`, `id == 9 && type == "T" && revision == 1`,
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err)
		got, err := x.Evaluate(e)
		require.NoError(t, err)
		require.Equal(t, true, got, source)
	}
}
