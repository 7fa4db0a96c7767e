package packfile_test

import (
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// A world becomes a pack, which is read as it lies.
func ExampleEncode() {
	typ := &entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{{Name: "energy", Shape: entity.Shape{Kind: entity.KindF64}}}}
	w := entity.NewWorld(entity.GUID{1}, entity.NewTypes(typ))
	e := entity.New(6001, typ.Current())
	e.Values[0] = entity.F64Of(1.5)
	w.Put(e)
	data, err := packfile.Encode(w.ID, w.Types, w)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := packfile.Parse(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	lamp, _ := p.Get(6001)
	fmt.Println(p.Len(), lamp, lamp.Equal(e))
	// Output: 1 Lamp 6001 true
}

// What is wrong with a pack is found out before anything of it is used.
func ExampleParse() {
	data, err := packfile.Encode(entity.GUID{1}, nil, entity.NewWorld(entity.GUID{1}, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	torn := slices.Clone(data)
	torn[20] ^= 1
	_, err = packfile.Parse(torn[:100])
	fmt.Println(err)
	_, err = packfile.Parse([]byte("something else"))
	fmt.Println(err)
	// Output:
	// the pack is cut off: section header, offset 100: the section table ends at 248
	// not a world pack: section header, offset 0: it does not begin as packs do
}

// A program that saves a pack names the one that it had loaded, so that worldfs merges
// what it changed into what others changed meanwhile.
func ExampleSetBasedOn() {
	loaded, err := packfile.Encode(entity.GUID{1}, nil, entity.NewWorld(entity.GUID{1}, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	saved := slices.Clone(loaded) // as the program has changed it
	packfile.SetBasedOn(saved, packfile.Hash(loaded))
	p, err := packfile.Parse(saved)
	fmt.Println(p.BasedOn() == packfile.Hash(loaded), err)
	// Output: true <nil>
}
