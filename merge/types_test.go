package merge

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// lamp is a declaration with the fields given.
func lamp(revision uint32, fields ...*entity.Field) *entity.Type {
	return &entity.Type{Name: "Lamp", Revision: revision, Fields: fields}
}

// worldOf has entities of a type, with values by the name of their field.
func worldOf(typ *entity.Type, revision uint32, values ...map[string]entity.Value) *entity.World {
	w := entity.NewWorld(entity.GUID{}, entity.NewTypes(typ))
	for i, set := range values {
		e := entity.New(entity.ID(i+1), typ.Layout(revision))
		for name, v := range set {
			e.Values[e.Layout.Index(name)] = v
		}
		w.Put(e)
	}
	return w
}

type values = map[string]entity.Value

func u32(n uint64) entity.Value { return entity.NewUint(entity.KindU32, n) }

func TestUpgradeAgainstEdits(t *testing.T) {
	size := field("size", scalar(entity.KindU8))
	size.Until, size.Successor = 2, "width"
	width := &entity.Field{Name: "width", Shape: scalar(entity.KindU32), Since: 2}
	glow := &entity.Field{Name: "glow", Shape: scalar(entity.KindU32), Since: 2}
	old, now := lamp(1, field("size", scalar(entity.KindU8))), lamp(2, size, width, glow)
	u8 := func(n uint64) entity.Value { return entity.NewUint(entity.KindU8, n) }
	base := worldOf(old, 1, values{"size": u8(5)}, values{"size": u8(6)}, values{"size": u8(7)})
	ours := worldOf(now, 2, values{"width": u32(5)}, values{"width": u32(6), "glow": u32(3)}, values{"width": u32(70)})
	theirs := worldOf(old, 1, values{"size": u8(50)}, values{"size": u8(60)}, values{"size": u8(71)})
	r := merged(t, base, ours, theirs, Options{})
	require.Equal(t, []string{"property 3"}, kinds(r))
	for id, want := range map[entity.ID][2]uint64{1: {50, 0}, 2: {60, 3}, 3: {70, 0}} {
		e, _ := r.Get(id)
		require.Equal(t, uint32(2), e.Revision())
		require.Equal(t, want, [2]uint64{e.Value("width").Uint(), e.Value("glow").Uint()})
	}
}

// A conflict about a field that one side's revision has under another name, or not yet, shows
// both sides' values, whichever of them is called ours.
func TestAConflictAcrossRevisionsShowsBothValues(t *testing.T) {
	size := field("size", scalar(entity.KindU8))
	size.Until, size.Successor = 2, "width"
	width := &entity.Field{Name: "width", Shape: scalar(entity.KindU32), Since: 2}
	old, now := lamp(1, field("size", scalar(entity.KindU8))), lamp(2, size, width)
	u8 := func(n uint64) entity.Value { return entity.NewUint(entity.KindU8, n) }
	base := worldOf(old, 1, values{"size": u8(7)})
	upgraded := worldOf(now, 2, values{"width": u32(70)})
	edited := worldOf(old, 1, values{"size": u8(71)})
	for _, c := range []struct {
		ours, theirs *entity.World
		want         string
	}{
		{upgraded, edited, "<<<<<<< yours\n; width\n    70\n=======\n; width\n    71\n>>>>>>> shared\n"},
		{edited, upgraded, "<<<<<<< yours\n; width\n    71\n=======\n; width\n    70\n>>>>>>> shared\n"},
	} {
		r := merged(t, base, c.ours, c.theirs, Options{})
		require.Equal(t, []string{"property 1"}, kinds(r))
		require.Equal(t, "Lamp\n2\n1\n"+c.want, string(r.Marked()[1]))
		require.Len(t, r.LeftEntities(), 1)
		for _, e := range []*entity.Entity{r.LeftEntities()[0].Base, r.LeftEntities()[0].Ours, r.LeftEntities()[0].Theirs} {
			require.Equal(t, uint32(2), e.Revision())
		}
	}
}

func TestBothDeclare(t *testing.T) {
	attribute := func(f *entity.Field, text string) *entity.Field {
		c := *f
		c.Attributes = map[string]json.RawMessage{"ui": json.RawMessage(text)}
		return &c
	}
	names := func(names ...entity.Name) *entity.Field {
		return field("mode", entity.Shape{Kind: entity.KindEnum, Names: names})
	}
	off, on := entity.Name{Name: "off"}, entity.Name{Name: "on", Number: 1}
	dim, blink := entity.Name{Name: "dim", Number: 2}, entity.Name{Name: "blink", Number: 2}
	a, b := field("a", scalar(entity.KindU32)), field("b", scalar(entity.KindU32))
	later := func(name string) *entity.Field {
		return &entity.Field{Name: name, Shape: scalar(entity.KindU32), Since: 2}
	}
	base := worldOf(lamp(1, a, b, names(off, on)), 1, values{}, values{}, values{})
	ours := worldOf(lamp(2, attribute(a, `1`), b, later("mine"), names(off, on, dim)), 2,
		values{"mine": u32(1), "mode": entity.NewInt(entity.KindEnum, 2)}, values{}, values{})
	theirs := worldOf(lamp(2, attribute(a, `2`), names(off, on, blink), later("yours")), 2,
		values{}, values{"yours": u32(2), "mode": entity.NewInt(entity.KindEnum, 2)}, values{})
	r := merged(t, base, ours, theirs, Options{})
	typ := r.Types.Get("Lamp")
	require.NoError(t, typ.Validate())
	var got []string
	for _, f := range typ.Fields {
		got = append(got, f.Name)
	}
	require.Equal(t, []string{"a", "mine", "mode", "yours"}, got)
	require.Equal(t, []string{"declaration 0", "renumbered 0"}, kinds(r))
	require.Equal(t, "a: attribute ui", r.Conflicts[0].Path)
	first, _ := r.Get(1)
	second, _ := r.Get(2)
	require.Equal(t, u32(1), first.Value("mine"))
	require.Equal(t, u32(2), second.Value("yours"))
	shape := &typ.Fields[2].Shape
	require.Equal(t, `"dim"`, shown(shape, first.Value("mode")))
	require.Equal(t, `"blink"`, shown(shape, second.Value("mode")))
}

// TestBothDeclareAtOnePlace has the sides add fields, and names of one number: the
// same comes out whichever side is called ours.
func TestBothDeclareAtOnePlace(t *testing.T) {
	kind := func(names ...entity.Name) *entity.Field {
		return field("kind", entity.Shape{Kind: entity.KindEnum, Names: append([]entity.Name{{Name: "none"}}, names...)})
	}
	base := worldOf(lamp(1, kind()), 1)
	ours := worldOf(lamp(1, kind(entity.Name{Name: "spot", Number: 1}), field("width", scalar(entity.KindU32))), 1)
	theirs := worldOf(lamp(1, kind(entity.Name{Name: "area", Number: 1}), field("height", scalar(entity.KindU32))), 1)
	for _, r := range []*Result{merged(t, base, ours, theirs, Options{}), merged(t, base, theirs, ours, Options{})} {
		require.Empty(t, r.Conflicts)
		require.Equal(t, []string{`type Lamp, kind: both gave the number to a new name; "spot" has the next, and values follow ("1" became "2")`}, lines(r.Repairs))
		typ := r.Types.Get("Lamp")
		require.Equal(t, []string{"kind", "height", "width"}, fieldNames(typ.Fields))
		require.Equal(t, []entity.Name{{Name: "none"}, {Name: "area", Number: 1}, {Name: "spot", Number: 2}}, typ.Fields[0].Names)
	}
}

// TestEachPutsAnotherInOnesPlace has both take away one field's lines and write those
// of another there.
func TestEachPutsAnotherInOnesPlace(t *testing.T) {
	world := func(name string) *entity.World {
		w := worldOf(lamp(1), 1)
		w.Put(&entity.Entity{ID: 1, Layout: w.Types.Get("Lamp").Layout(1), Unknown: []entity.Raw{{Name: name, Lines: "    1"}}})
		return w
	}
	base, a, b := world("old"), world("width"), world("height")
	for _, policy := range []Policy{Leave, Shared, Mine} {
		for _, r := range []*Result{merged(t, base, a, b, Options{Policy: policy}), merged(t, base, b, a, Options{Policy: policy})} {
			require.Empty(t, r.Conflicts)
			e, _ := r.Get(1)
			require.Equal(t, []entity.Raw{{Name: "height", Lines: "    1"}, {Name: "width", Lines: "    1"}}, e.Unknown)
		}
	}
}

func TestDeclarationTakenAwayIsKeptWhereItIsNeeded(t *testing.T) {
	typ := lamp(1, field("a", scalar(entity.KindU32)))
	base := worldOf(typ, 1, values{})
	ours := worldOf(typ, 1, values{"a": u32(1)})
	theirs := entity.NewWorld(entity.GUID{}, entity.NewTypes())
	r := merged(t, base, ours, theirs, Options{})
	require.Equal(t, []string{"deleted 1"}, kinds(r))
	require.NotNil(t, r.Types.Get("Lamp"))
	r = merged(t, base, ours, theirs, Options{Policy: Shared})
	require.Nil(t, r.Types.Get("Lamp"))
}

func TestUnknownFields(t *testing.T) {
	typ := lamp(1, field("a", scalar(entity.KindU32)))
	world := func(raw ...entity.Raw) *entity.World {
		w := worldOf(typ, 1, values{})
		e, _ := w.Get(1)
		e.Unknown = raw
		return w
	}
	for _, c := range []struct {
		name                       string
		base, ours, theirs, merged []entity.Raw
		conflicts                  int
	}{
		{"by name", []entity.Raw{{Name: "x", Lines: "    1"}}, []entity.Raw{{Name: "x", Lines: "    2"}},
			[]entity.Raw{{Name: "x", Lines: "    1"}, {Name: "y", Lines: "    3"}}, []entity.Raw{{Name: "x", Lines: "    2"}, {Name: "y", Lines: "    3"}}, 0},
		{"by line", []entity.Raw{{Name: "x", Lines: "    1\n    2\n    3"}}, []entity.Raw{{Name: "x", Lines: "    9\n    2\n    3"}},
			[]entity.Raw{{Name: "x", Lines: "    1\n    2\n    8"}}, []entity.Raw{{Name: "x", Lines: "    9\n    2\n    8"}}, 0},
		{"same line", []entity.Raw{{Name: "x", Lines: "    1"}}, []entity.Raw{{Name: "x", Lines: "    2"}},
			[]entity.Raw{{Name: "x", Lines: "    3"}}, []entity.Raw{{Name: "x", Lines: "    2"}}, 1},
		{"taken away and changed", []entity.Raw{{Name: "x", Lines: "    1"}}, nil,
			[]entity.Raw{{Name: "x", Lines: "    3"}}, []entity.Raw{{Name: "x", Lines: "    3"}}, 1},
		{"twice one name", []entity.Raw{{Name: "x", Lines: "    1"}, {Name: "x", Lines: "    2"}}, []entity.Raw{{Name: "x", Lines: "    1"}, {Name: "x", Lines: "    5"}},
			[]entity.Raw{{Name: "x", Lines: "    4"}, {Name: "x", Lines: "    2"}}, []entity.Raw{{Name: "x", Lines: "    4"}, {Name: "x", Lines: "    5"}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := merged(t, world(c.base...), world(c.ours...), world(c.theirs...), Options{})
			e, _ := r.Get(1)
			require.Equal(t, c.merged, e.Unknown)
			require.Len(t, r.Conflicts, c.conflicts)
		})
	}
}

func TestAnotherTypeKeepsWhatItCan(t *testing.T) {
	s := newScene(t)
	s.all(1, 0)
	s.put(s.ours, 1, values{"name": entity.NewString("mine"), "points": entity.NewList(entity.KindArray, []entity.Value{entity.F32Of(1)})})
	leaf := entity.New(1, s.types.Get("Leaf").Current())
	leaf.Values[2] = entity.VecOf(entity.KindVec3, 1, 2, 3)
	s.theirs.Put(leaf)
	r := s.merge(Options{})
	require.Equal(t, []string{"dropped 1"}, kinds(r))
	require.Equal(t, "[1]", r.Repairs[0].From.String())
	e, _ := r.Get(1)
	require.Equal(t, `Leaf 1 "mine"`, e.String())
	require.Equal(t, leaf.Values[2], e.Value("position"))
}

// TestTypesMergeIntoWhatLoads merges any declarations, and entities of them.
func TestTypesMergeIntoWhatLoads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := entitytest.World().Draw(t, "base")
		sides := [2]*entity.World{redeclared(t, base), redeclared(t, base)}
		r := merged(t, base, sides[0], sides[1], Options{})
		for _, typ := range r.Types.All() {
			require.NoError(t, typ.Validate())
		}
		for e := range r.All() {
			require.NoError(t, e.Validate())
		}
		_, err := packfile.Encode(base.ID, r.Types, r)
		require.NoError(t, err)
	})
}

// redeclared returns a world whose types are declared a little otherwise.
func redeclared(t *rapid.T, base *entity.World) *entity.World {
	types := &entity.Types{}
	for n, typ := range base.Types.All() {
		c := &entity.Type{Name: typ.Name, Revision: typ.Revision + rapid.Uint32Range(0, 1).Draw(t, "bump")}
		for _, f := range typ.Fields {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				continue
			case 1:
				other := entitytest.Shape(1).Draw(t, "shape")
				c.Fields = append(c.Fields, field(f.Name, other))
			case 2:
				more := *f
				more.Optional, more.Hidden = true, true
				c.Fields = append(c.Fields, &more)
			default:
				c.Fields = append(c.Fields, f)
			}
		}
		if rapid.Bool().Draw(t, "more") {
			c.Fields = append(c.Fields, field(fmt.Sprintf("new%d", n), entitytest.Shape(2).Draw(t, "new")))
		}
		if c.Validate() != nil {
			c = typ
		}
		types.Put(c)
	}
	w := entity.NewWorld(base.ID, types)
	for e := range base.All() {
		w.Put(entity.Carry(e, types.Get(e.Type())))
	}
	return w
}

// What a side has only as lines, since it does not know the type, is read once the merged world
// declares the type: the result is one that every form of a world can hold.
func TestLinesOfATypeThatTheOtherSideDeclaresAreRead(t *testing.T) {
	lines := func(id entity.ID, text string) *entity.World {
		w := entity.NewWorld(entity.GUID{}, entity.NewTypes())
		e := entity.New(id, entity.UnknownType("Lamp").Layout(1))
		e.Unknown = []entity.Raw{{Name: "size", Lines: text}}
		w.Put(e)
		return w
	}
	none := entity.NewWorld(entity.GUID{}, entity.NewTypes())
	declares := entity.NewWorld(entity.GUID{}, entity.NewTypes(lamp(1, field("size", scalar(entity.KindU32)))))
	for text, want := range map[string]string{
		"    7":     "Lamp\n1\n3\n; size\n    7\n",
		"    \"x\"": "Lamp\n1\n3\n; size\n    0\n; size_lines\n    \"x\"\n",
	} {
		for _, sides := range [][2]*entity.World{{lines(3, text), declares}, {declares, lines(3, text)}} {
			r := merged(t, none, sides[0], sides[1], Options{})
			e, ok := r.Get(3)
			require.True(t, ok)
			require.Equal(t, want, string(textcodec.Append(nil, e)))
		}
	}
}
