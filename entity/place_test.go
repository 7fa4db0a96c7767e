package entity_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
)

// mountedPart returns an entity of a type whose instances are mounted on each other, from what
// an f32 of its place, its turn and their offsets is.
func mountedPart(id, on entity.ID, position, rotation, offset, turn []float32) *entity.Entity {
	vec, quat := entity.Shape{Kind: entity.KindVec3}, entity.Shape{Kind: entity.KindQuat}
	e := entity.New(id, (&entity.Type{Name: "Part", Revision: 1,
		Mount: &entity.Mount{Parent: "on", Offset: []string{"offset", "turn"}, Pose: []string{"position", "rotation"}},
		Fields: []*entity.Field{
			{Name: "on", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
			{Name: "position", Shape: vec}, {Name: "rotation", Shape: quat}, {Name: "offset", Shape: vec}, {Name: "turn", Shape: quat},
			{Name: "high", Shape: vec, SaveWhen: "position.z > 100"},
		},
	}).Layout(1))
	e.Values[0] = entity.NewRef(on)
	e.Values[1], e.Values[2] = entity.VecOf(entity.KindVec3, position...), entity.VecOf(entity.KindQuat, rotation...)
	e.Values[3], e.Values[4] = entity.VecOf(entity.KindVec3, offset...), entity.VecOf(entity.KindQuat, turn...)
	return e
}

// bitsOf returns the bits of a value's components.
func bitsOf(v entity.Value) (s string) {
	for i := range v.Kind().Components() {
		s += fmt.Sprintf("%08x ", v.Component(i))
	}
	return s
}

// The bits are the same on every machine: no processor fuses a product with a sum.
func TestAPoseHasTheseBits(t *testing.T) {
	none := []float32{0, 0, 0, 1}
	parent := mountedPart(1, 0, []float32{46.10353, 108.07968, 8.694907}, []float32{0.1, -0.7, 0.3, 0.2}, []float32{0, 0, 0}, none)
	child := mountedPart(2, 1, []float32{0, 0, 0}, none, []float32{1.1, -2.7, 1e-7}, []float32{0.5, 0.1, 0.1, 3})
	p, ok := entity.Carried(child, parent)
	require.True(t, ok)
	e := p.Put(child)
	require.Equal(t, "42392b70 42d46760 412eac90 ", bitsOf(e.Value("position")))
	require.Equal(t, "3dfe3d05 bf4d8264 3f079803 3e7a0045 ", bitsOf(e.Value("rotation")))
}

func TestAPoseOfNoNumbersIsNone(t *testing.T) {
	none, zero := []float32{0, 0, 0, 1}, []float32{0, 0, 0}
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(1)), -math.MaxFloat32} {
		parent := mountedPart(1, 0, []float32{x, 0, 0}, none, zero, none)
		_, ok := entity.Carried(mountedPart(2, 1, zero, none, []float32{-math.MaxFloat32, 0, 0}, none), parent)
		require.False(t, ok, "%v", x)
	}
	_, ok := entity.Carried(mountedPart(2, 1, zero, none, zero, none), mountedPart(1, 0, zero, []float32{0, 0, 0, 0}, zero, none))
	require.False(t, ok, "a quaternion that turns nothing")
}

// What is saved only in some places is saved, or not, by the place.
func TestAPoseDecidesWhatIsSaved(t *testing.T) {
	none, zero := []float32{0, 0, 0, 1}, []float32{0, 0, 0}
	child := mountedPart(2, 1, zero, none, []float32{0, 0, 60}, none)
	child.Canonicalize()
	for _, height := range []float32{50, 30} {
		p, ok := entity.Carried(child, mountedPart(1, 0, []float32{0, 0, height}, none, zero, none))
		require.True(t, ok)
		child = p.Put(child)
		require.Equal(t, height == 30, child.Value("high").IsNull())
	}
}

// To derive a pose twice changes nothing more, and it is where it is said to be.
func TestPutIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vec := func(name string, n int) []float32 {
			return rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, name)
		}
		parent := mountedPart(1, 0, vec("position", 3), vec("rotation", 4), vec("none", 3), vec("none", 4))
		child := mountedPart(2, 1, vec("was", 3), vec("turned", 4), vec("offset", 3), vec("turn", 4))
		p, ok := entity.Carried(child, parent)
		if !ok {
			return
		}
		e := p.Put(child)
		require.Same(t, e, p.Put(e))
		if is, known := p.Has(e); known {
			require.True(t, is)
		}
	})
}
