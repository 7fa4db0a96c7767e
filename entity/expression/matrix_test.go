package expression_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// node is an entity with matrices: one is the identity, one moves by 10, 20, 30.
func node() *entity.Entity {
	mat := entity.Shape{Kind: entity.KindMat3x4}
	typ := &entity.Type{Name: "Node", Revision: 1, Fields: []*entity.Field{
		{Name: "local", Shape: mat},
		{Name: "world", Shape: entity.Shape{Kind: entity.KindMat4}},
		{Name: "pair", Shape: entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
			{Name: "at", Shape: mat}, {Name: "name", Shape: entity.Shape{Kind: entity.KindString}},
		}}},
	}}
	e := entity.New(5, typ.Current())
	e.Values[1] = entity.VecOf(entity.KindMat4, 1, 0, 0, 10, 0, 1, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1)
	return e
}

func TestAMatrixInExpressions(t *testing.T) {
	for source, want := range map[string]any{
		"world[3]": 10.0, "world[7] + world[11]": 50.0, "len(local)": 12, "world[15] == 1": true,
		"pair.at[0]": 1.0,
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err)
		v, err := x.Evaluate(node())
		require.NoError(t, err, source)
		require.Equal(t, want, v, source)
	}
	n, err := expression.Assign(node(), "local", []any{1, 0, 0, 4.5, 0, 1, 0, 0, 0, 0, 1, 0})
	require.NoError(t, err)
	require.NoError(t, n.Validate())
	require.Equal(t, entity.F32Of(4.5).F32(), n.Value("local").Component(3))
	same, err := expression.Assign(n, "local", expression.Plain(n, "local"))
	require.NoError(t, err)
	require.True(t, same.Equal(n))
	for _, x := range []any{[]any{1, 2, 3}, map[string]any{"x": 1.0}, 1, "identity", make([]any, 12)} {
		_, err = expression.Assign(node(), "local", x)
		require.ErrorIs(t, err, entity.ErrInvalid)
	}
	_, err = expression.Assign(node(), "local.x", 1)
	require.ErrorContains(t, err, "no part")
}
