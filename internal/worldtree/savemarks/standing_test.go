package savemarks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/savemarks"
	"github.com/worldfs/worldfs/textcodec"
)

// What a save has marked stands, whatever the entity has there by now, and in place of what else
// is marked about the same field; not where the entity has the save's value.
func TestWhatASaveHasMarkedStands(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{
		{Name: "at", Shape: entity.Shape{Kind: entity.KindU8}}, {Name: "on", Shape: entity.Shape{Kind: entity.KindU8}},
	}})
	text := func(at, on string) string { return "Lamp\n0\n7\n" + at + on }
	plain := func(name, value string) string { return "; " + name + "\n    " + value + "\n" }
	open := func(name, ours, theirs string) string {
		return "<<<<<<< yours\n" + plain(name, ours) + "=======\n" + plain(name, theirs) + ">>>>>>> shared\n"
	}
	mark := &savemarks.Mark{ID: 7, Text: []byte(text(plain("at", "1"), open("on", "2", "3")))}
	require.Empty(t, mark.In([]byte(text(open("at", "1", "4"), plain("on", "3"))), types).Fields)
	require.Empty(t, mark.In([]byte(text(plain("at", "1"), "<<<<<<< yours\n")), types).Fields)
	standing := mark.In([]byte(text(open("at", "1", "4"), open("on", "5", "3"))), types)
	require.True(t, savemarks.Has([]savemarks.Standing{{}, standing}, "on"))
	require.False(t, savemarks.Has([]savemarks.Standing{{}, standing}, "at"))
	for _, c := range []struct{ merged, marked, rest string }{
		{text(plain("at", "1"), plain("on", "6")), text(plain("at", "1"), open("on", "6", "3")), text(plain("at", "1"), plain("on", "6"))},
		{text(plain("at", "1"), open("on", "6", "8")), text(plain("at", "1"), open("on", "6", "3")), text(plain("at", "1"), plain("on", "6"))},
		{text(open("at", "1", "4"), open("on", "6", "8")), text(plain("at", "1"), open("on", "6", "3")), text(open("at", "1", "4"), plain("on", "6"))},
		{text(plain("at", "1"), open("on", "3", "8")), text(plain("at", "1"), plain("on", "3")), text(plain("at", "1"), open("on", "3", "8"))},
	} {
		read, err := textcodec.Decode([]byte(c.merged), 7, types)
		require.NoError(t, err)
		marked, rest := standing.On(read.Entity, types, []byte(c.merged))
		require.Equal(t, c.marked, string(marked))
		require.Equal(t, c.rest, string(rest))
	}
}
