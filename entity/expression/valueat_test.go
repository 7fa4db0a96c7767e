package expression_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

func TestValueAtAPath(t *testing.T) {
	of := func(k entity.Kind) entity.Shape { return entity.Shape{Kind: k} }
	ref := of(entity.KindRef)
	link := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{{Name: "to", Shape: ref}, {Name: "odd name", Shape: of(entity.KindU8)}}}
	typ := &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "position", Shape: of(entity.KindVec3)},
		{Name: "map", Shape: of(entity.KindU32)},
		{Name: "map.size", Shape: of(entity.KindU32)},
		{Name: "links", Shape: entity.Shape{Kind: entity.KindArray, Of: &link}},
		{Name: "turn", Shape: of(entity.KindMat3x4)},
		{Name: "none", Shape: entity.Shape{Kind: entity.KindStruct, Optional: true, Fields: link.Fields}},
		{Name: "later", Shape: of(entity.KindBool), Since: 9},
	}}
	e := entity.New(1, typ.Current())
	e.Values[0] = entity.VecOf(entity.KindVec3, 1, 2, 3.5)
	e.Values[1], e.Values[2] = entity.NewUint(entity.KindU32, 4), entity.NewUint(entity.KindU32, 5)
	one := func(to entity.ID, n uint64) entity.Value {
		return entity.NewStruct([]entity.Value{entity.NewRef(to), entity.NewUint(entity.KindU8, n)})
	}
	e.Values[3] = entity.NewList(entity.KindArray, []entity.Value{one(7, 1), one(8, 2)})

	for path, want := range map[string]entity.Value{
		"position.z":         entity.F32Of(3.5),
		"position[-3]":       entity.F32Of(1),
		"map":                entity.NewUint(entity.KindU32, 4),
		"map.size":           entity.NewUint(entity.KindU32, 5),
		"links[-1].odd name": entity.NewUint(entity.KindU8, 2),
		"links[0].to":        entity.NewRef(7),
		"turn[5]":            entity.F32Of(1),
		"none":               {},
	} {
		s, v, rest, ok := expression.ValueAt(e, path)
		require.True(t, ok, path)
		require.True(t, want.Equal(v), path)
		require.NoError(t, s.Check(v), path)
		require.Empty(t, rest, path)
		_, leads := expression.LeadsSomewhere(typ, path)
		require.True(t, leads, path)
	}
	_, v, rest, ok := expression.ValueAt(e, "links[1].to.pose[2].x")
	require.True(t, ok)
	require.Equal(t, entity.ID(8), v.Ref())
	require.Equal(t, "pose[2].x", rest)

	for path, leads := range map[string]bool{
		"links[2].to": true, "none.to": true, "later": true, "none.to.radius": true, // of another entity
		"position.w": false, "position[3]": false, "links.to": false, "links[0].two": false, "map.sizes": false,
		"turn.x": false, "map[0]": false, "links[0": false, "none.to[1]": false, "": false, "light": false,
	} {
		rest, somewhere := expression.LeadsSomewhere(typ, path)
		require.Equal(t, leads, somewhere, fmt.Sprint(path, rest))
		if _, _, rest, ok := expression.ValueAt(e, path); rest == "" {
			require.False(t, ok, path)
		}
	}
}
