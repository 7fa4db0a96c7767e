package textcodec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/textcodec"
)

func TestAMarkedTextShowsBothSidesOfOneProperty(t *testing.T) {
	types := computedTypes()
	ours := entity.New(5, types.Get("T").Current())
	theirs := ours.Clone()
	ours.Values[2], theirs.Values[2] = entity.NewUint(entity.KindU8, 1), entity.NewUint(entity.KindU8, 2)
	text := textcodec.AppendMarked(nil, ours, textcodec.Marks{Ours: "mine", Theirs: "shared", Fields: []string{"count"}, Other: theirs})
	require.Contains(t, string(text), "<<<<<<< mine\n; count\n    1\n=======\n; count\n    2\n>>>>>>> shared\n; name\n")
	r, err := textcodec.Decode(text, 5, types)
	require.NoError(t, err)
	require.True(t, r.Entity.Equal(ours))
	require.Len(t, r.Findings, 1)
	require.Equal(t, entity.CodeConflict, r.Findings[0].Code)
}

func TestAMarkedDeletionIsSeen(t *testing.T) {
	types := computedTypes()
	ours := entity.New(5, types.Get("T").Current())
	text := textcodec.AppendMarked(nil, ours, textcodec.Marks{Ours: "mine", Theirs: "shared", Whole: "changed here, deleted there"})
	require.True(t, strings.HasSuffix(string(text), "<<<<<<< mine: changed here, deleted there\n=======\n>>>>>>> shared\n"))
	r, err := textcodec.Decode(text, 5, types)
	require.NoError(t, err)
	require.True(t, r.Entity.Equal(ours))
	require.Len(t, r.Findings, 1)
}

// Whatever is in conflict, a marked text reads as ours.
func TestAMarkedTextReadsAsOurs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		ours := entitytest.Entity(7, typ).Draw(t, "ours")
		theirs := ours.Clone()
		var fields []string
		for i, f := range ours.Layout.Fields {
			if v := entitytest.Value(&f.Shape).Draw(t, "theirs"); !v.Equal(ours.Values[i]) {
				theirs.Values[i] = v
				fields = append(fields, f.Name)
			}
		}
		text := textcodec.AppendMarked(nil, ours, textcodec.Marks{Ours: "a", Theirs: "b", Fields: fields, Other: theirs})
		r, err := textcodec.Decode(text, 7, entity.NewTypes(typ))
		require.NoError(t, err, "%s", text)
		require.True(t, r.Entity.Equal(ours), "%s", text)
		marked := false
		for _, f := range r.Findings {
			marked = marked || f.Code == entity.CodeConflict
		}
		require.Equal(t, len(fields) > 0, marked)
	})
}
