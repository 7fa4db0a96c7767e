package merge_test

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
)

// Two people change one door: what only one of them changed is in the result; where both
// changed one property there is a conflict.
func ExampleWorlds() {
	typ := &entity.Type{Name: "Door", Revision: 1, Fields: []*entity.Field{
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "locked", Shape: entity.Shape{Kind: entity.KindBool}},
		{Name: "width", Shape: entity.Shape{Kind: entity.KindF32}},
	}}
	world := func(name string, locked bool, width float32) merge.Side {
		w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ))
		e := entity.New(6555, typ.Current())
		e.Values[0], e.Values[1], e.Values[2] = entity.NewString(name), entity.NewBool(locked), entity.F32Of(width)
		w.Put(e)
		return merge.Of(w)
	}
	r, err := merge.Worlds(world("door", false, 1), world("bunker door", false, 2), world("door", true, 3), merge.Options{Policy: merge.Leave})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := r.Get(6555)
	fmt.Println(e, e.Value("locked").Bool())
	for _, c := range r.Conflicts {
		fmt.Println(c.ID, c.Field, c.Left)
	}
	// Output:
	// Door 6555 "bunker door" true
	// 6555 width true
}
