package packfile_test

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/packfile"
)

// doorAndLamp is the world of the worked example in docs/pack-format.md.
func doorAndLamp() *entity.World {
	door := &entity.Type{Name: "Door", Revision: 72, Fields: []*entity.Field{
		{Name: "position", Shape: entity.Shape{Kind: entity.KindVec3}},
		{Name: "locked", Shape: entity.Shape{Kind: entity.KindBool}},
		{Name: "entity_name", Shape: entity.Shape{Kind: entity.KindString}},
		{Name: "targets", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindRef}, Optional: true}},
	}}
	lamp := &entity.Type{Name: "Lamp", Revision: 3, Fields: []*entity.Field{
		{Name: "energy", Shape: entity.Shape{Kind: entity.KindF64}},
		{Name: "parent", Shape: entity.Shape{Kind: entity.KindRef, Direct: true}},
		{Name: "flicker", Shape: entity.Shape{Kind: entity.KindU8, Optional: true}, Since: 2},
	}}
	w := entity.NewWorld(entity.GUID{0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0x46, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf},
		entity.NewTypes(door, lamp))
	d := entity.New(6555, door.Current())
	d.Values[0] = entity.NewVec(entity.KindVec3, [4]uint32{0x42386a04, 0x42d828cc, 0x410b1e57})
	d.Values[1] = entity.NewBool(true)
	d.Values[2] = entity.NewString("bunker door")
	d.Values[3] = entity.NewList(entity.KindSet, []entity.Value{entity.NewRef(6001), entity.NewRef(6005)})
	w.Put(d)
	l := entity.New(6001, lamp.Current())
	l.Values[0] = entity.F64Of(1.5)
	l.Values[1] = entity.NewRef(6555)
	l.Unknown = []entity.Raw{{Name: "glow", Lines: "    0.500000 : 3f000000"}}
	w.Put(l)
	return w
}

func encode(t require.TestingT, w *entity.World) []byte {
	data, err := packfile.Encode(w.ID, w.Types, w)
	require.NoError(t, err)
	return data
}

func parse(t require.TestingT, data []byte) *packfile.Pack {
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	return p
}

func requireSame(t require.TestingT, want *entity.World, got entity.Source) {
	require.Equal(t, want.Len(), got.Len())
	for e := range want.All() {
		o, ok := got.Get(e.ID)
		require.True(t, ok, "entity %d", e.ID)
		require.True(t, e.Equal(o), "entity %d: %v is not %v", e.ID, o, e)
	}
	ids := slices.Collect(func(yield func(entity.ID) bool) {
		for e := range got.All() {
			if !yield(e.ID) {
				return
			}
		}
	})
	require.Equal(t, len(want.IDs()), len(ids))
	require.True(t, slices.Equal(want.IDs(), ids))
}

// worlds generates worlds, some of whose entities are of unknown types.
func worlds() *rapid.Generator[*entity.World] {
	return rapid.Custom(func(t *rapid.T) *entity.World {
		w := entitytest.World().Draw(t, "world")
		for _, id := range rapid.SliceOfN(rapid.Uint32Min(1), 0, 2).Draw(t, "unknown ids") {
			name := rapid.SampledFrom([]string{"Gone", "Older", w.Types.All()[0].Name}).Draw(t, "unknown type")
			e := entity.New(entity.ID(id), entity.UnknownType(name).Layout(rapid.Uint32().Draw(t, "revision")))
			e.Unknown = []entity.Raw{{Name: "", Lines: "stray"}, {Name: "a", Lines: ""}, {Name: "a", Lines: "    \xff\x00"}}
			w.Put(e)
		}
		return w
	})
}

func TestAPackHasTheWorldItWasMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := worlds().Draw(t, "world")
		data := encode(t, w)
		p := parse(t, data)
		require.NoError(t, p.Check())
		requireSame(t, w, p)
		require.Equal(t, w.ID, p.World())
		require.Equal(t, w.Types.Len(), p.Types().Len())
		require.Zero(t, p.BasedOn())
		again, err := packfile.Encode(p.World(), p.Types(), p)
		require.NoError(t, err)
		require.Equal(t, data, again)
		require.NoError(t, p.Err())
	})
}

func TestHistoryDoesNotShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := worlds().Draw(t, "world")
		order := rapid.Permutation(slices.Clone(w.IDs())).Draw(t, "order")
		types := rapid.Permutation(w.Types.All()).Draw(t, "types")
		o := entity.NewWorld(w.ID, entity.NewTypes(types...))
		for _, id := range order {
			e, _ := w.Get(id)
			o.Put(e.Clone())
		}
		require.Equal(t, encode(t, w), encode(t, o))
	})
}

func TestLookups(t *testing.T) {
	p := parse(t, encode(t, doorAndLamp()))
	require.True(t, p.Has(6555))
	for _, id := range []entity.ID{0, 1, 6002, entity.MaxID} {
		require.False(t, p.Has(id))
		_, ok := p.Get(id)
		require.False(t, ok)
	}
	require.Equal(t, []entity.ID{6001, 6555}, slices.Collect(p.IDs()))
	e, err := p.At(1)
	require.NoError(t, err)
	require.Equal(t, `Door 6555 "bunker door"`, e.String())
	require.False(t, parse(t, encode(t, entity.NewWorld(entity.GUID{}, nil))).Has(1))
}

func TestEveryIDIsFoundAmongMany(t *testing.T) {
	typ := &entity.Type{Name: "T", Revision: 1}
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ))
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		w.Put(entity.New(entity.ID(r.Uint32()|1), typ.Current()))
	}
	p := parse(t, encode(t, w))
	for _, id := range w.IDs() {
		require.True(t, p.Has(id))
		require.False(t, p.Has(id-1))
	}
}

func TestRowsAreReadInPlace(t *testing.T) {
	p := parse(t, encode(t, doorAndLamp()))
	lamps := p.Tables()[1]
	require.Equal(t, 1, lamps.Len())
	require.Equal(t, entity.ID(6001), lamps.ID(0))
	require.Equal(t, "Lamp", lamps.Layout().Type.Name)
	require.Equal(t, []int{0, 12, 16}, []int{lamps.Offset(0), lamps.Offset(1), lamps.Offset(2)})
	require.Equal(t, 24, lamps.Stride())
	require.False(t, lamps.Present(lamps.Row(0), 2))
	doors := p.Tables()[0]
	row := doors.Row(0)
	ref := row[doors.Offset(2):]
	name, ok := p.Text(uint32(ref[0]))
	require.True(t, ok)
	require.Equal(t, "bunker door", name)
}

func TestTheHashLeavesOutWhatThePackWasBasedOn(t *testing.T) {
	w := doorAndLamp()
	first := encode(t, w)
	second := slices.Clone(first)
	packfile.SetBasedOn(second, packfile.Hash(first))
	p := parse(t, second)
	require.Equal(t, packfile.Hash(first), p.BasedOn())
	require.Equal(t, packfile.Hash(first), p.Hash())
	again := parse(t, slices.Clone(first))
	again.ShareHash(p)
	require.Equal(t, packfile.Hash(first), again.Hash())
	e, _ := w.Get(6001)
	e = e.Clone()
	e.Values[0] = entity.F64Of(2)
	w.Put(e)
	third := encode(t, w)
	require.NotEqual(t, packfile.Hash(first), packfile.Hash(third))
	again = parse(t, third)
	again.ShareHash(p)
	require.Equal(t, packfile.Hash(third), again.Hash())
}

// source is entities in the order given.
type source []*entity.Entity

func (s source) Len() int                             { return len(s) }
func (s source) Get(entity.ID) (*entity.Entity, bool) { return nil, false }
func (s source) All() iter.Seq[*entity.Entity]        { return slices.Values(s) }

func TestEncodeRefuses(t *testing.T) {
	u8 := func(name string) *entity.Type {
		return &entity.Type{Name: "Door", Revision: 1, Fields: []*entity.Field{{Name: name, Shape: entity.Shape{Kind: entity.KindU8}}}}
	}
	set := &entity.Type{Name: "S", Fields: []*entity.Field{{Name: "s", Shape: entity.Shape{Kind: entity.KindSet, Of: &entity.Shape{Kind: entity.KindU8}}}}}
	unordered := entity.New(3, set.Current())
	unordered.Values[0] = entity.NewList(entity.KindSet, []entity.Value{entity.NewUint(entity.KindU8, 2), entity.NewUint(entity.KindU8, 1)})
	wrong := entity.New(5, u8("a").Current())
	wrong.Values[0] = entity.NewUint(entity.KindU8, 256)
	for want, src := range map[string]source{
		"Door 5, field a: the number is beyond":    {wrong},
		"order of their IDs":                       {entity.New(2, u8("a").Current()), entity.New(1, u8("a").Current())},
		"Door 2: type \"Door\" is declared in two": {entity.New(1, u8("a").Current()), entity.New(2, u8("b").Current())},
		"S 3, field s: the set is not in order":    {unordered},
	} {
		_, err := packfile.Encode(entity.GUID{}, nil, src)
		require.ErrorContains(t, err, want)
	}
	_, err := packfile.Encode(entity.GUID{}, entity.NewTypes(u8("a")), source{entity.New(1, u8("a").Current())})
	require.NoError(t, err, "a copy of a declaration is the same declaration")
}
