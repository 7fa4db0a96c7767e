package entity_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

// node is an entity with a transform that moves by 10, 20, 30.
func node() *entity.Entity {
	mat := entity.Shape{Kind: entity.KindMat3x4}
	typ := &entity.Type{Name: "Node", Revision: 1, Fields: []*entity.Field{
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "local", Shape: mat},
		{Name: "world", Shape: entity.Shape{Kind: entity.KindMat4}},
		{Name: "pair", Shape: entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{
			{Name: "at", Shape: mat}, {Name: "name", Shape: entity.Shape{Kind: entity.KindString}},
		}}},
	}, Mount: &entity.Mount{Parent: "parent", Offset: []string{"local"}, Pose: []string{"world", "pair"}}}
	e := entity.New(5, typ.Current())
	e.Values[0] = entity.NewRef(9)
	e.Values[2] = entity.VecOf(entity.KindMat4, 1, 0, 0, 10, 0, 1, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1)
	return e
}

func TestAMatrixHasItsComponentsBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]entity.Kind{entity.KindMat3x4, entity.KindMat4}).Draw(t, "kind")
		var c [entity.MaxComponents]uint32
		for i := range k.Components() {
			c[i] = entitytest.F32Bits().Draw(t, "component")
		}
		v := entity.NewComponents(k, c)
		require.Equal(t, c, v.Components())
		i := rapid.IntRange(0, k.Components()-1).Draw(t, "other")
		other := c
		other[i] = entitytest.F32Bits().Draw(t, "with")
		w := entity.NewComponents(k, other)
		require.Equal(t, other == c, v.Equal(w))
		require.Equal(t, entity.NewF32(c[i]).Compare(entity.NewF32(other[i])), v.Compare(w))
		require.Equal(t, -v.Compare(w), w.Compare(v))
	})
}

func TestAMatrixWithoutAValueIsTheIdentity(t *testing.T) {
	require.Equal(t, entity.VecOf(entity.KindMat3x4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0), node().Value("local"))
	zero := (&entity.Shape{Kind: entity.KindMat4}).Zero()
	require.Equal(t, entity.VecOf(entity.KindMat4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1), zero)
}

func TestAMatrixOfTheWrongSizeIsInvalid(t *testing.T) {
	e := node()
	e.Values[1] = entity.NewMatrix(entity.KindMat3x4, "too short")
	require.ErrorContains(t, e.Validate(), "field local: the mat3x4 has 9 bytes, not 48")
	set := &entity.Type{Name: "A", Fields: []*entity.Field{{Name: "f", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindMat4}}}}}
	require.ErrorContains(t, set.Validate(), "single values")
}

func TestAMatrixWidens(t *testing.T) {
	three, four := &entity.Shape{Kind: entity.KindMat3x4}, &entity.Shape{Kind: entity.KindMat4}
	v, ok := entity.Widen(entity.VecOf(entity.KindMat3x4, 1, 0, 0, 10, 0, 1, 0, 20, 0, 0, 1, 30), three, four)
	require.True(t, ok)
	require.Equal(t, node().Value("world"), v)
	_, ok = entity.Widen(v, four, three)
	require.False(t, ok, "a row would be lost")
}

func TestAMatrixIsAPlace(t *testing.T) {
	x, y, z, ok := entity.Position(node())
	require.True(t, ok)
	require.Equal(t, [3]float64{10, 20, 30}, [3]float64{x, y, z})

	named := &entity.Type{Name: "Node3D", Revision: 1, Fields: []*entity.Field{{Name: "transform", Shape: entity.Shape{Kind: entity.KindMat3x4}}}}
	e := entity.New(1, named.Current())
	_, _, _, ok = entity.Position(e)
	require.True(t, ok)
	nan := float32(math.NaN())
	e.Values[0] = entity.VecOf(entity.KindMat3x4, 0, 0, 0, nan)
	_, _, _, ok = entity.Position(e)
	require.False(t, ok)
}

// A far translation must not hide a small rotation: columns count each by itself.
func TestAMatrixPoseThatMovedByLastBitsStays(t *testing.T) {
	old := node()
	old.Values[2] = entity.VecOf(entity.KindMat4, 1, 0, 0, 100000, 0, 1, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1)
	moved := old.Clone()
	moved.Values[2] = entity.VecOf(entity.KindMat4, 1, 0, 0, math.Nextafter32(100000, 0), 1e-7, 1, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1)
	moved.Values[3] = entity.NewStruct([]entity.Value{entity.VecOf(entity.KindMat3x4, 1, 0, 0, 0, 0, 1, 0, 1e-7, 0, 0, 1, 0), entity.NewString("")})
	quiet, noise := entity.Quieten(old, moved)
	require.Equal(t, entity.Noise{Derived: 1}, noise, "the pair's origin is at 0, so any move of it counts")
	require.True(t, quiet.Value("world").Equal(old.Value("world")))
	require.True(t, quiet.Value("pair").Equal(moved.Value("pair")))

	moved.Values[3] = entity.NewStruct([]entity.Value{entity.VecOf(entity.KindMat3x4, 1, 0, 0, 0, 1e-7, 1, 0, 0, 0, 0, 1, 0), entity.NewString("")})
	quiet, noise = entity.Quieten(old, moved)
	require.Equal(t, entity.Noise{Derived: 2}, noise)
	require.True(t, quiet.Equal(old))

	turned := old.Clone()
	turned.Values[2] = entity.VecOf(entity.KindMat4, 1, 0, 0, 100000, 0.001, 1, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1)
	quiet, noise = entity.Quieten(old, turned)
	require.Zero(t, noise)
	require.Same(t, turned, quiet)
}

// A struct is where its first member is that can be somewhere, even where that is
// absent: the next one may be a size.
func TestAStructIsAPlace(t *testing.T) {
	vec3, inner := entity.Shape{Kind: entity.KindVec3, Optional: true}, entity.Shape{Kind: entity.KindStruct}
	inner.Fields = []*entity.Field{{Name: "at", Shape: vec3}, {Name: "size", Shape: vec3}}
	outer := entity.Shape{Kind: entity.KindStruct, Fields: []*entity.Field{{Name: "label", Shape: entity.Shape{Kind: entity.KindString}}, {Name: "in", Shape: inner}}}
	typ := &entity.Type{Name: "Node", Revision: 1, Mount: &entity.Mount{Parent: "parent", Offset: []string{"local"}, Pose: []string{"world"}}, Fields: []*entity.Field{
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}}, {Name: "local", Shape: outer}, {Name: "world", Shape: outer},
	}}
	e := entity.New(1, typ.Current())
	at, size := entity.VecOf(entity.KindVec3, 1, 2, 3), entity.VecOf(entity.KindVec3, 7, 7, 7)
	world := func(at entity.Value) entity.Value {
		return entity.NewStruct([]entity.Value{entity.NewString(""), entity.NewStruct([]entity.Value{at, size})})
	}
	e.Values[2] = world(at)
	x, y, z, ok := entity.Position(e)
	require.True(t, ok)
	require.Equal(t, [3]float64{1, 2, 3}, [3]float64{x, y, z})
	e.Values[2] = world(entity.Value{})
	_, _, _, ok = entity.Position(e)
	require.False(t, ok)
}
