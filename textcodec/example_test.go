package textcodec_test

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

func lampTypes() *entity.Types {
	return entity.NewTypes(&entity.Type{Name: "Lamp", Revision: 3, Fields: []*entity.Field{
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "energy", Shape: entity.Shape{Kind: entity.KindF32}},
	}})
}

// An entity becomes the text that people edit. A float has its bits beside it.
func ExampleAppend() {
	e := entity.New(6001, lampTypes().Get("Lamp").Current())
	e.Values[0] = entity.NewString("east lamp")
	e.Values[1] = entity.F32Of(1.5)
	fmt.Printf("%s", textcodec.Append(nil, e))
	// Output:
	// Lamp
	// 3
	// 6001
	// ; entity_name
	//     "east lamp"
	// ; energy
	//     1.500000 : 3fc00000
}

// What a person typed becomes an entity, or says what is wrong, and where.
func ExampleDecode() {
	text := "Lamp\n3\n6001\n; entity_name\n    \"east lamp\"\n; energy\n    2.5\n"
	r, err := textcodec.Decode([]byte(text), 6001, lampTypes())
	fmt.Println(r.Entity, r.Canonical, err)
	_, err = textcodec.Decode([]byte("Lamp\n3\n6001\n; energy\n    bright\n"), 6001, lampTypes())
	fmt.Println(err)
	// Output:
	// Lamp 6001 "east lamp" false <nil>
	// line 5, field energy: component 1 of the f32: bright is no decimal number
}
