package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
)

func TestOfSaysWhereRefsStand(t *testing.T) {
	ref := entity.Shape{Kind: entity.KindRef}
	link := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
		{Name: "weight", Shape: entity.Shape{Kind: entity.KindU8}}, {Name: "to", Shape: ref},
	}}
	typ := &entity.Type{Name: "Node", Fields: []*entity.Field{
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "maybe", Shape: entity.Shape{Kind: entity.KindRef, Optional: true}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &ref}},
		{Name: "links", Shape: entity.Shape{Kind: entity.KindArray, Of: &link}},
	}}
	node := func(to entity.ID) entity.Value {
		return entity.NewStruct([]entity.Value{entity.NewUint(entity.KindU8, 1), entity.NewRef(to)})
	}
	e := entity.New(1, typ.Current())
	e.Values = []entity.Value{
		entity.NewRef(2), {},
		entity.NewList(entity.KindSet, []entity.Value{entity.NewRef(2), entity.NewRef(3)}),
		entity.NewList(entity.KindArray, []entity.Value{node(0), node(2)}),
	}
	require.Equal(t, []reference.Ref{
		{From: e, Path: "parent", To: 2, Direct: true},
		{From: e, Path: "targets[0]", To: 2},
		{From: e, Path: "targets[1]", To: 3},
		{From: e, Path: "links[1].to", To: 2},
	}, reference.Of(e))

	var world entity.World
	world.Put(e)
	require.Len(t, reference.To(&world, map[entity.ID]bool{3: true}), 1)
	require.Empty(t, reference.To(&world, map[entity.ID]bool{1: true}))
}
