package entity_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func mounted() *entity.Entity {
	vec := entity.Shape{Kind: entity.KindVec3}
	typ := &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "offset", Shape: vec},
		{Name: "position", Shape: vec},
		{Name: "sun", Shape: entity.Shape{Kind: entity.KindBool}},
		{Name: "angle", Shape: entity.Shape{Kind: entity.KindF32}, InsignificantWhen: "sun"},
	}, Mount: &entity.Mount{Parent: "parent", Offset: []string{"offset"}, Pose: []string{"position"}}}
	e := entity.New(5, typ.Current())
	e.Values[0] = entity.NewRef(9)
	e.Values[2] = entity.VecOf(entity.KindVec3, 100, 0, 0)
	return e
}

func TestAPoseThatMovedByLastBitsStays(t *testing.T) {
	old := mounted()
	moved := old.Clone()
	moved.Values[2] = entity.VecOf(entity.KindVec3, math.Nextafter32(100, 200), 1e-6, 0)
	quiet, noise := entity.Quieten(old, moved)
	require.True(t, quiet.Equal(old))
	require.Equal(t, entity.Noise{Derived: 1}, noise)

	far := old.Clone()
	far.Values[2] = entity.VecOf(entity.KindVec3, 100.01, 0, 0)
	quiet, noise = entity.Quieten(old, far)
	require.Same(t, far, quiet)
	require.Zero(t, noise)

	offset := moved.Clone()
	offset.Values[1] = entity.VecOf(entity.KindVec3, 1, 0, 0)
	quiet, _ = entity.Quieten(old, offset)
	require.Same(t, offset, quiet, "the offset moved too")

	free := moved.Clone()
	free.Values[0] = entity.NewRef(0)
	quiet, _ = entity.Quieten(old, free)
	require.Same(t, free, quiet, "it follows nothing")
}

func TestAnInsignificantChangeIsNone(t *testing.T) {
	old := mounted()
	n := old.Clone()
	n.Values[4] = entity.F32Of(3)
	quiet, noise := entity.Quieten(old, n)
	require.Same(t, n, quiet)
	require.Zero(t, noise)

	n.Values[3] = entity.NewBool(true)
	quiet, noise = entity.Quieten(old, n)
	require.Equal(t, entity.Noise{Insignificant: 1}, noise)
	require.True(t, quiet.Value("sun").Bool(), "only the field itself is noise")
	require.True(t, quiet.Value("angle").Equal(old.Value("angle")))
}
