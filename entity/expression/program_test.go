package expression_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
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

// One program is evaluated by many at once, and so are the conditions of a type,
// which its entities share.
func TestAProgramIsEvaluatedByManyAtOnce(t *testing.T) {
	w := lamps()
	x, err := expression.Compile("radius in [1.5, 2.5] && map([radius, 2], # * 2)[1] == 4 && (parent.radius ?? 1.5) == 1.5 && kind not in ['spot', 'sun']")
	require.NoError(t, err)
	x = x.In(w)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range entity.ID(100) {
				e, _ := w.Get(i%2 + 1)
				v, err := x.Evaluate(e)
				assert.NoError(t, err)
				assert.Equal(t, true, v)
				assert.False(t, e.SavesField(4))
			}
		})
	}
	all.Wait()
}
