package entity_test

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
)

// exampleDoor is a type with a position, a name and a ref.
func exampleDoor() *entity.Type {
	return &entity.Type{Name: "Door", Revision: 72, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "target", Shape: entity.Shape{Kind: entity.KindRef}},
	}}
}

func ExampleWorld() {
	w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(exampleDoor()))
	e := entity.New(6555, w.Types.Get("Door").Current())
	e.Values[0] = entity.VecOf(entity.KindVec3, 46.5, 108, 8.75)
	e.Values[1] = entity.NewString("bunker door")
	w.Put(e)
	for e := range w.All() {
		fmt.Println(e, e.Value("entity_name").Text(), e.Value("target").Ref())
	}
	// Output: Door 6555 "bunker door" bunker door 0
}

// Two worlds are compared by entity.
func ExampleDiffering() {
	typ := exampleDoor()
	before, after := entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ)), entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ))
	before.Put(entity.New(6001, typ.Current()))
	before.Put(entity.New(6555, typ.Current()))
	moved := entity.New(6555, typ.Current())
	moved.Values[0] = entity.VecOf(entity.KindVec3, 1, 2, 3)
	after.Put(moved)
	for a, b := range entity.Differing(before, after) {
		if b == nil {
			fmt.Println(a, "was deleted")
		} else {
			fmt.Println(b, "has changed")
		}
	}
	// Output:
	// Door 6001 was deleted
	// Door 6555 has changed
}

// A ref to an entity that there is not is a finding.
func ExampleCheck() {
	typ := exampleDoor()
	w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ))
	e := entity.New(6555, typ.Current())
	e.Values[2] = entity.NewRef(6002)
	w.Put(e)
	for _, finding := range entity.Check(w) {
		fmt.Println(finding.Code, finding.ID, finding.Field, finding.Message)
	}
	// Output: ref-dangling 6555 target it refers to entity 6002, which there is not
}
