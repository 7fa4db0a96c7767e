package changeset

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
)

// sound returns an entity of a type with those fields, all at their defaults.
func sound(id entity.ID, fields ...string) *entity.Entity {
	typ := &entity.Type{Name: "Sound", Revision: 1}
	for _, name := range fields {
		typ.Fields = append(typ.Fields, &entity.Field{Name: name, Shape: entity.Shape{Kind: entity.KindI64}})
	}
	return entity.New(id, typ.Current())
}

func with(e *entity.Entity, field string, n int64) *entity.Entity {
	e.Values[e.Layout.Index(field)] = entity.NewInt(entity.KindI64, n)
	return e
}

func raw(e *entity.Entity, lines ...entity.Raw) *entity.Entity {
	e.Unknown = lines
	return e
}

// What a changed declaration makes of entities takes a line a type, and is parted from
// what was edited in them besides.
func TestTheTableOfAChangedDeclaration(t *testing.T) {
	kept := entity.Raw{Name: "b", Lines: "    7\n"}
	other := entity.Raw{Name: "z", Lines: "    1\n"}
	for _, x := range []struct {
		name     string
		old, now *entity.Entity
		want     string // what the table has but for the summary
	}{
		{"a field comes", sound(1, "a"), sound(1, "a", "b"), "Sound  declaration  + b  in 1 entity\n"},
		{"one goes", sound(1, "a", "b"), sound(1, "a"), "Sound  declaration  - b  in 1 entity\n"},
		{"one for another", sound(1, "a", "b"), sound(1, "a", "c"), "Sound  declaration  + c, - b  in 1 entity\n"},
		{"their order", sound(1, "a", "b"), sound(1, "b", "a"), "Sound  declaration  its fields in another order  in 1 entity\n"},
		{"no field is declared any more", with(sound(1, "b"), "b", 7), raw(sound(1), kept), "Sound  declaration  gone, or does not parse: fields are kept as lines  in 1 entity\n"},
		{"the type is declared now", raw(sound(1), kept), with(sound(1, "b"), "b", 7), "Sound  declaration  there now: fields were kept as lines  in 1 entity\n"},
		{"lines become a value", raw(sound(1, "a"), kept), with(sound(1, "a", "b"), "b", 7), "Sound  declaration  + b  in 1 entity\n"},
		{"a value is kept as lines", with(sound(1, "a", "b"), "b", 7), raw(sound(1, "a"), kept), "Sound  declaration  - b  in 1 entity\n"},
		{"lines stay", raw(sound(1, "a"), other), raw(sound(1, "a", "b"), other), "Sound  declaration  + b  in 1 entity\n"},
		{"an edit of a field that stays", sound(1, "a"), with(sound(1, "a", "b"), "a", 5), "Sound 1  a  0 → 5\n"},
		{"a value of the new field", sound(1, "a"), with(sound(1, "a", "b"), "b", 5), "Sound 1  b  + 5\n"},
		{"a value is lost", with(sound(1, "a", "b"), "b", 5), sound(1, "a"), "Sound 1  b  - 5\n"},
		{"lines go", raw(sound(1, "a"), other), sound(1, "a", "b"), "Sound 1  (unknown)  1 unknown field → 0 unknown fields\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, Table(&out, entity.DiffEntity(x.old, x.now), false, 0))
			lines := bytes.SplitAfterN(out.Bytes(), []byte("\n"), 2)
			require.Equal(t, x.want, string(lines[0]))
			require.NotEmpty(t, lines[1], "a summary")
		})
	}
}

// An upgrade hides no edit that was made beside it.
func TestTheTableOfAnUpgrade(t *testing.T) {
	i64 := entity.Shape{Kind: entity.KindI64}
	was := &entity.Type{Name: "Sound", Revision: 1, Fields: []*entity.Field{{Name: "a", Shape: i64}, {Name: "b", Shape: i64}}}
	is := &entity.Type{Name: "Sound", Revision: 2, Fields: []*entity.Field{
		{Name: "a", Shape: i64}, {Name: "b", Shape: i64, Until: 2, Successor: "c"}, {Name: "c", Shape: i64, Since: 2},
	}}
	gone := &entity.Type{Name: "Sound", Revision: 2, Fields: []*entity.Field{{Name: "a", Shape: i64}, {Name: "c", Shape: i64}}}
	old := with(with(entity.New(1, was.Current()), "a", 3), "b", 7)
	up := with(with(entity.New(1, is.Current()), "a", 3), "c", 7)
	typed := raw(with(entity.New(1, was.Current()), "a", 3), entity.Raw{Name: "c", Lines: "    7"})
	const replaced = "Sound 1  replaced Sound at revision 1 → Sound at revision 2\n"
	for _, x := range []struct {
		name     string
		old, now *entity.Entity
		want     string
	}{
		{"alone", old, up, "Sound 1  replaced Sound at revision 1 → Sound at revision 2\n1 changed\n"},
		{"with an edit", old, with(up.Clone(), "a", 5), replaced + "         a  3 → 5\n1 changed (1 property)\n"},
		{"of what the new field has from another", old, with(up.Clone(), "c", 8), replaced + "         c  7 → 8\n1 changed (1 property)\n"},
		{"of lines", typed, up, "Sound 1  replaced Sound at revision 1 → Sound at revision 2\n1 changed\n"},
		{"of a field that is declared no more", old, with(with(entity.New(1, gone.Current()), "a", 3), "c", 7), replaced + "         c  + 7\n         b  - 7\n1 changed (2 properties)\n"},
		{"back", up, with(old.Clone(), "a", 5), "Sound 1  replaced Sound at revision 2 → Sound at revision 1\n         a  3 → 5\n         b  + 7\n         c  - 7\n1 changed (3 properties)\n"},
	} {
		var out bytes.Buffer
		require.NoError(t, Table(&out, entity.DiffEntity(x.old, x.now), false, 0))
		require.Equal(t, x.want, out.String(), x.name)
	}
}

func TestOneChangeOfADeclarationTakesALine(t *testing.T) {
	var set entity.ChangeSet
	for id := entity.ID(1); id <= 1200; id++ {
		set = append(set, entity.DiffEntity(sound(id, "a"), sound(id, "a", "b"))...)
	}
	set = append(set, entity.DiffEntity(sound(6000, "a", "c"), sound(6000, "a"))...)
	set = append(set, entity.DiffEntity(sound(7000, "a"), with(sound(7000, "a", "b"), "a", 5))...)
	var out bytes.Buffer
	require.NoError(t, Table(&out, set, false, 0))
	require.Equal(t, `Sound 7000  a            0 → 5
Sound       declaration  + b  in 1,200 entities
Sound       declaration  - c  in 1 entity
1 changed, 1,201 under another declaration (1 property)
`, out.String())
}

// No change is told twice or not at all, whatever types two worlds have.
func TestByDeclarationPartsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := entitytest.World().Draw(t, "a"), entitytest.World().Draw(t, "b")
		set := entity.Diff(a, b)
		edits, types := ByDeclaration(set)
		n := len(edits)
		for _, d := range types {
			n += len(d.Changes)
			for _, c := range d.Changes {
				require.Equal(t, d.Type, c.New.Type())
			}
		}
		require.Len(t, set, n)
		var out bytes.Buffer
		require.NoError(t, Table(&out, set, false, 0))
		require.Equal(t, len(set) == 0, out.String() == "nothing differs\n")
	})
}
