package expression_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// placed returns a world of entities that stand somewhere, and of one that does not.
func placed() *entity.World {
	typ := &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "target", Shape: entity.Shape{Kind: entity.KindRef}},
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindF32}},
	}}
	rock := &entity.Type{Name: "Sky", Revision: 1}
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ, rock))
	put := func(id entity.ID, x, y, z float32, parent, target entity.ID) {
		e := entity.New(id, typ.Current())
		e.Values[0] = entity.NewVec(entity.KindVec3, [4]uint32{math.Float32bits(x), math.Float32bits(y), math.Float32bits(z)})
		e.Values[1], e.Values[2] = entity.NewRef(parent), entity.NewRef(target)
		w.Put(e)
	}
	put(1, 0, 0, 0, 0, 3)
	put(2, 3, 4, 0, 1, 0)
	put(3, 30, 40, 0, 2, 99)
	put(4, float32(math.NaN()), 0, 0, 3, 0)
	w.Put(entity.New(5, rock.Current()))
	return w
}

func chosen(t *testing.T, w *entity.World, source string) (ids []entity.ID) {
	x, err := expression.Compile(source)
	require.NoError(t, err, source)
	for e := range w.All() {
		if v, err := x.In(w).Evaluate(e); err == nil && v == true {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func TestFunctionsOfTheWorld(t *testing.T) {
	w := placed()
	for source, want := range map[string][]entity.ID{
		"near(1, 5)":                              {1, 2},
		"near([0, 0, 0], 4.9)":                    {1},
		"near(99, 1000) or near(5, 1000)":         nil, // there is none, or it is nowhere
		"near(4, 1000)":                           nil, // it is at no number
		"not near(1, 5)":                          {3, 4, 5},
		"near(parent, 5)":                         {2},
		"near(target, 1000)":                      {1},
		"distance(1) == 5":                        {2},
		"distance([30, 40, 0]) == 0":              {3},
		"distance(1, 2) == 5 and id == 5":         {5},
		"distance([0, 0], [3, 4]) == 5":           {1, 2, 3, 4, 5},
		"distance(parent) > 0":                    {2, 3},
		"refers(3)":                               {1, 4},
		"refers(99)":                              {3},
		"refers(0)":                               nil,
		"under(1)":                                {2, 3, 4},
		"under(3)":                                {4},
		"under(5) or under(99)":                   nil,
		"clamp(id, 2, 3) == id":                   {2, 3},
		"clamp(id * 1.0, 2, 3) == 3":              {3, 4, 5},
		"random(1) >= 0 and random(1) < 1":        {1, 2, 3, 4, 5},
		"random('a', 5, 6) >= 5":                  {1, 2, 3, 4, 5},
		"random(1) == random(2)":                  nil,
		"random(1) == random('1')":                nil,
		"random(7) == random(7) and near(1, 0.0)": {1},
	} {
		require.Equal(t, want, chosen(t, w, source), source)
	}
}

// What random gives is a promise: a world that was made with it can be made again.
func TestRandomIsTheSameEverywhere(t *testing.T) {
	w := placed()
	e, _ := w.Get(1)
	for source, want := range map[string]float64{
		"random(1)": 0.2237742487021276, "random('grass')": 0.5076673685956962, "random(1, -1, 1)": -0.5524515025957448,
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err)
		v, err := x.Evaluate(e)
		require.NoError(t, err)
		require.Equal(t, want, v, source)
	}
}

func TestFunctionsOfTheWorldThatAreNotCalledSo(t *testing.T) {
	w := placed()
	e, _ := w.Get(1)
	for source, want := range map[string]string{
		"near(1)": "takes 2 arguments", "near('x', 3)": "is no place", "near(1, 'far')": "how far", "refers('x')": "no entity's ID",
		"random()": "takes a seed", "random(1.5)": "a seed is", "clamp(1, 3, 2)": "is more than", "clamp('a', 1, 2)": "clamp",
		"under(-1)": "no entity's ID",
	} {
		x, err := expression.Compile(source)
		require.NoError(t, err, source)
		_, err = x.In(w).Evaluate(e)
		require.ErrorContains(t, err, want, source)
	}
	x, err := expression.Compile("under(1)")
	require.NoError(t, err)
	e, _ = w.Get(2)
	_, err = x.Evaluate(e)
	require.NoError(t, err) // its own parent is that
	_, err = expression.Compute("near(1, 2)")
	require.Error(t, err)
	_, err = expression.Compute("distance(1)")
	require.Error(t, err)
}

func TestConditionsDoNotLookAround(t *testing.T) {
	typ := &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindU32}, SaveWhen: "under(1)"}}}
	problems := expression.CheckConditions(typ)
	require.Len(t, problems, 1)
	require.ErrorContains(t, problems[0], "cannot ask what an entity is under")
}
