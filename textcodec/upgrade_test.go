package textcodec_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/textcodec"
)

// later is a door type that gets fields at revision 90.
func later() *entity.Type {
	return &entity.Type{Name: "Door", Revision: 90, Fields: []*entity.Field{
		{Name: "old", Shape: of(entity.KindU8), Until: 90, Successor: "heir"},
		{Name: "locked", Shape: of(entity.KindBool)},
		{Name: "heir", Shape: of(entity.KindU8), Since: 90},
		{Name: "point", Shape: pointShape, Since: 90},
		{Name: "matrix", Shape: of(entity.KindMat4), Since: 90},
		{Name: "conditional", Shape: of(entity.KindU8), Since: 90, SaveWhen: "locked"},
	}}
}

func TestLinesBecomeTheValueWhenTheRevisionComes(t *testing.T) {
	types := entity.NewTypes(later())
	head := "Door\n72\n1\n; old\n    0\n; locked\n    true\n"
	for _, lines := range []string{
		"; heir\n    7\n",
		"; point\n    {\n    ; label\n        \"a\"\n    ; at\n        1\n        2\n    }\n; other\n    1\n",
		"; conditional\n    9\n; heir\n    8\n",
		"; mystery\n    1\n",
	} {
		r, err := textcodec.Decode([]byte(head+lines), 1, types)
		require.NoError(t, err)
		up, err := textcodec.Upgrade(r.Entity)
		require.NoError(t, err)
		require.Equal(t, uint32(90), up.Revision())
		clone, err := textcodec.Decode(textcodec.Append(nil, up), 1, types)
		require.NoError(t, err)
		require.True(t, up.Equal(clone.Entity), "what a clone reads is what is here")
		for _, f := range clone.Findings {
			require.Equal(t, entity.CodeFieldUnknown, f.Code, f.String())
		}
	}
	r, err := textcodec.Decode([]byte(head+"; heir\n    7\n; mystery\n    1\n"), 1, types)
	require.NoError(t, err)
	up, err := textcodec.Upgrade(r.Entity)
	require.NoError(t, err)
	require.Equal(t, entity.NewUint(entity.KindU8, 7), up.Value("heir"))
	require.Equal(t, []entity.Raw{{Name: "mystery", Lines: "    1"}}, up.Unknown)
}

func TestLinesThatCannotBecomeTheValueRefuseTheUpgrade(t *testing.T) {
	types := entity.NewTypes(later())
	head := "Door\n72\n1\n; old\n    5\n; locked\n    false\n"
	for lines, reason := range map[string]string{
		"; heir\n    7\n":                         "field heir: revision 90 gives it the value",
		"; matrix\n    1\n    2\n":                "field matrix: revision 90 has the field",
		"; point\n    \"x\"\n":                    "field point: revision 90 has the field",
		"; point\n    {\n    ; z\n    1\n    }\n": "field point: revision 90 has the field",
		"; conditional\n    9\n":                  "field conditional: the field is saved only when",
		"; point\n    1\n; point\n    2\n":        "field point: its lines stand twice",
	} {
		r, err := textcodec.Decode([]byte(head+lines), 1, types)
		require.NoError(t, err)
		_, err = textcodec.Upgrade(r.Entity)
		require.ErrorIs(t, err, entity.ErrInvalid, lines)
		require.ErrorContains(t, err, reason)
	}
}

// A value of any shape, typed before its field begins, is the field's value once
// it has begun.
func TestAnyValueTypedAheadOfItsRevisionIsNotLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := entitytest.Shape(2).Draw(t, "shape")
		v := entitytest.Value(&shape).Draw(t, "value")
		name := entitytest.Name().Draw(t, "name")
		field := &entity.Field{Name: name, Shape: shape, Since: 2}
		typ := &entity.Type{Name: "T", Revision: 2, Fields: []*entity.Field{field}}
		types := entity.NewTypes(typ)
		want := entity.New(1, typ.Current())
		want.Values[0] = v
		want.Canonicalize()
		text := append([]byte("T\n1\n"), textcodec.Append(nil, want)[len("T\n2\n"):]...)
		r, err := textcodec.Decode(text, 1, types)
		require.NoError(t, err)
		up, err := textcodec.Upgrade(r.Entity)
		require.NoError(t, err)
		require.True(t, want.Equal(up), "%s", text)
	})
}

// rawField returns a field's lines as the text of an entity that has it.
func rawField(f *entity.Field, v entity.Value) []byte {
	alone := *f
	alone.Since, alone.Until = 0, 0
	e := entity.New(1, (&entity.Type{Name: "T", Fields: []*entity.Field{&alone}}).Layout(0))
	e.Values[0] = v
	return textcodec.Append(nil, e)[len("T\n0\n1\n"):]
}

// Whatever fields come and go, an upgrade gives what its own text is read as, and
// each line that was typed for a field that is there now is its value.
func TestAnUpgradeIsWhatACloneReadsInItsText(t *testing.T) {
	upgraded := 0
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		late := rapid.SampledFrom(typ.Fields).Draw(t, "late")
		late.Since, late.Until, late.Optional = typ.Revision, 0, false
		require.NoError(t, typ.Validate())
		types := entity.NewTypes(typ)
		e := entity.New(1, typ.Layout(rapid.Uint32Range(0, typ.Revision).Draw(t, "revision")))
		for i, f := range e.Layout.Fields {
			if rapid.Bool().Draw(t, "given") {
				e.Values[i] = entitytest.Value(&f.Shape).Draw(t, f.Name)
			}
		}
		e.Canonicalize()
		text := textcodec.Append(nil, e)
		typed := make(map[string]entity.Value)
		for _, f := range typ.Current().Fields {
			if e.Layout.Index(f.Name) < 0 && !f.Optional {
				typed[f.Name] = entitytest.Value(&f.Shape).Draw(t, f.Name)
				text = append(text, rawField(f, typed[f.Name])...)
			}
		}
		r, err := textcodec.Decode(text, 1, types)
		require.NoError(t, err, "%s", text)
		up, err := textcodec.Upgrade(r.Entity)
		if err != nil {
			require.ErrorIs(t, err, entity.ErrInvalid)
			return
		}
		if len(typed) > 0 {
			upgraded++
		}
		clone, err := textcodec.Decode(textcodec.Append(nil, up), 1, types)
		require.NoError(t, err)
		require.True(t, up.Equal(clone.Entity), "%s", text)
		for name, v := range typed {
			require.True(t, v.Equal(up.Value(name)), "field %q of\n%s", name, text)
		}
	})
	require.Positive(t, upgraded, "some had lines for fields to come")
}

// One value that the types have no room for costs no other: a field that they do not have is
// lines all the same.
func TestRereadKeepsWhatTheTypesDoNotHave(t *testing.T) {
	was := &entity.Type{Name: "Door", Revision: 1, Fields: []*entity.Field{
		{Name: "size", Shape: of(entity.KindF32)}, {Name: "gone", Shape: of(entity.KindString)}, {Name: "height", Shape: of(entity.KindU8)},
	}}
	is := &entity.Type{Name: "Door", Revision: 1, Fields: []*entity.Field{
		{Name: "size", Shape: of(entity.KindU8)}, {Name: "height", Shape: of(entity.KindU8)},
	}}
	res, err := textcodec.Decode([]byte("Door\n1\n1\n; size\n    1.5\n; gone\n    \"one\\n\"\n        \"two\"\n; height\n    3\n"), 1, entity.NewTypes(was))
	require.NoError(t, err)
	read := textcodec.Reread(res.Entity, entity.NewTypes(is))
	require.Equal(t, "Door\n1\n1\n; size\n    0\n; height\n    3\n; gone\n    \"one\\n\"\n        \"two\"\n", string(textcodec.Append(nil, read)))
}
