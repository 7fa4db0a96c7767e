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
