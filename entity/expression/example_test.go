package expression_test

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
)

// lamps are a world of two lamps, the second of which follows the first.
func lamps() *entity.World {
	typ := &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindF32}},
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "kind", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "cone", Shape: entity.Shape{Kind: entity.KindF32}, SaveWhen: `kind == "spot"`},
	}}
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ))
	for id := range entity.ID(2) {
		e := entity.New(id+1, typ.Current())
		e.Values[0] = entity.VecOf(entity.KindVec3, float32(id), 2, 3)
		e.Values[1] = entity.F32Of(float32(id) + 1.5)
		e.Values[2] = entity.NewRef(id)
		e.Canonicalize()
		w.Put(e)
	}
	return w
}

// What is selected may be asked about the entities that refs lead to.
func ExampleCompile() {
	world := lamps()
	bigger, err := expression.Compile("radius > parent.radius")
	if err != nil {
		fmt.Println(err)
		return
	}
	bigger = bigger.In(world)
	for e := range world.All() {
		v, err := bigger.Evaluate(e)
		fmt.Println(e, v, err)
	}
	// Output:
	// Lamp 1 <nil> expression "radius > parent.radius" on Lamp 1: there is no value
	// Lamp 2 true <nil>
}

func ExampleAssign() {
	e, _ := lamps().Get(2)
	raised, err := expression.Compile("position.z + 0.5")
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := raised.Evaluate(e)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := expression.Assign(e, "position.z", v)
	fmt.Println(expression.Plain(n, "position"), err)
	_, err = expression.Assign(e, "position.w", v)
	fmt.Println(err)
	// Output:
	// [1 2 3.5] <nil>
	// Lamp 2, field position.w: a vec3 has no part "w"
}

// A field may be assigned together with what has it saved.
func ExampleAssignAll() {
	e, _ := lamps().Get(1)
	for _, kind := range []string{"spot", "point"} {
		n, unsaved, err := expression.AssignAll(e, []expression.Assignment{{Path: "kind", Value: kind}, {Path: "cone", Value: 30}})
		fmt.Println(expression.Plain(n, "cone"), unsaved, err)
	}
	// Output:
	// 30 [] <nil>
	// <nil> [cone] <nil>
}

func ExampleCompute() {
	v, err := expression.Compute("2*sin(pi/4)")
	fmt.Printf("%.4f %v\n", v, err)
	_, err = expression.Compute("9223372036854775807 * 9")
	fmt.Println(err)
	// Output:
	// 1.4142 <nil>
	// expression "9223372036854775807 * 9": integer overflow: 9223372036854775807 * 9
}

func ExampleProgram_Undeclared() {
	x, err := expression.Compile("radus > 3 && type == 'Lamp'")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Undeclared(lamps().Types))
	// Output: [radus]
}
