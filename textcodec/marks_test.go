package textcodec_test

import (
	"slices"
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

// The side that has not been upgraded has its value in the field that the one in conflict
// succeeds. A person who keeps its lines keeps the value.
func TestAMarkedTextShowsASideOfAnEarlierRevision(t *testing.T) {
	old := &entity.Type{Name: "T", Revision: 1, Fields: []*entity.Field{{Name: "radius", Shape: entity.Shape{Kind: entity.KindU8}}}}
	typ := &entity.Type{Name: "T", Revision: 2, Fields: []*entity.Field{
		{Name: "radius", Shape: entity.Shape{Kind: entity.KindU8}, Until: 2, Successor: "reach"},
		{Name: "reach", Shape: entity.Shape{Kind: entity.KindU8}, Since: 2},
	}}
	for _, declared := range []*entity.Type{old, typ} {
		ours, theirs := entity.New(5, typ.Current()), entity.New(5, declared.Layout(1))
		ours.Values[0], theirs.Values[0] = entity.NewUint(entity.KindU8, 10), entity.NewUint(entity.KindU8, 8)
		text := textcodec.AppendMarked(nil, ours, textcodec.Marks{Ours: "yours", Theirs: "shared", Fields: []string{"reach"}, Other: theirs})
		require.Contains(t, string(text), "<<<<<<< yours\n; reach\n    10\n=======\n; reach\n    8\n>>>>>>> shared\n")
	}
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

// The markers say which side deleted the entity, and the finding is about all of it.
func TestAMarkedDeletionSaysByWhom(t *testing.T) {
	types := computedTypes()
	ours := entity.New(5, types.Get("T").Current())
	text := textcodec.AppendMarked(nil, ours, textcodec.Marks{Ours: "yours", Theirs: "shared", Whole: textcodec.DeletedBy("shared")})
	require.True(t, strings.HasSuffix(string(text), "\n<<<<<<< yours: shared deleted it\n=======\n>>>>>>> shared\n"))
	r, err := textcodec.Decode(text, 5, types)
	require.NoError(t, err)
	require.True(t, r.Entity.Equal(ours))
	require.Len(t, r.Findings, 1)
	require.Empty(t, r.Findings[0].Field)
	require.Contains(t, r.Findings[0].Message, "shared deleted it, and the other side changed it")
	m := textcodec.Labels(text)
	require.Equal(t, textcodec.Marks{Ours: "yours", Theirs: "shared", Whole: "shared deleted it"}, m)
	by, ok := textcodec.WholeDeleted(m.Whole)
	require.True(t, ok)
	require.Equal(t, "shared", by)
}

// deletionOfBefore is a text as builds wrote it whose markers did not say which side deleted
// the entity.
const deletionOfBefore = "Lamp\n0\n7\n; on\n    false\n<<<<<<< yours: deleted\n=======\n>>>>>>> shared\n"

func TestADeletionOfBeforeReadsAsItDid(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{{Name: "on", Shape: entity.Shape{Kind: entity.KindBool}}}})
	r, err := textcodec.Decode([]byte(deletionOfBefore), 7, types)
	require.NoError(t, err)
	require.Len(t, r.Findings, 1)
	require.Contains(t, r.Findings[0].Message, "two people changed this")
	m := textcodec.Labels([]byte(deletionOfBefore))
	require.Equal(t, textcodec.Marks{Ours: "yours", Theirs: "shared", Whole: "deleted"}, m)
	_, ok := textcodec.WholeDeleted(m.Whole)
	require.False(t, ok)
	kept, err := textcodec.Remark([]byte("Lamp\n0\n7\n; on\n    true\n"), 7, types, []byte(deletionOfBefore))
	require.NoError(t, err)
	require.Equal(t, strings.Replace(deletionOfBefore, "false", "true", 1), string(kept))
}

// In a text that calls the sides otherwise a deletion is still the same side's.
func TestADeletionIsMarkedByTheNamesOfTheText(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{{Name: "on", Shape: entity.Shape{Kind: entity.KindBool}}}})
	const from = "Lamp\n0\n7\n; on\n    false\n<<<<<<< yours: shared deleted it\n=======\n>>>>>>> shared\n"
	for names, want := range map[[2]string]string{
		{"here", "coming in"}: "coming in deleted it",
		{"shared", "yours"}:   "shared deleted it",
		{"yours", "shared"}:   "shared deleted it",
	} {
		text := "Lamp\n0\n7\n<<<<<<< " + names[0] + "\n; on\n    false\n=======\n; on\n    true\n>>>>>>> " + names[1] + "\n"
		kept, err := textcodec.Remark([]byte(text), 7, types, []byte(from))
		require.NoError(t, err)
		require.Equal(t, text+"<<<<<<< "+names[0]+": "+want+"\n=======\n>>>>>>> "+names[1]+"\n", string(kept))
	}
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

// A change of some properties leaves the conflicts about all others where they are.
func TestAChangeKeepsTheConflictsThatItDoesNotDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := entitytest.Type().Draw(t, "type")
		types := entity.NewTypes(typ)
		ours := entitytest.Entity(7, typ).Draw(t, "ours")
		theirs, now := ours.Clone(), ours.Clone()
		var fields, open, decided []string
		for i, f := range ours.Layout.Fields {
			if v := entitytest.Value(&f.Shape).Draw(t, "theirs"); !v.Equal(ours.Values[i]) {
				theirs.Values[i] = v
				fields = append(fields, f.Name)
			}
			if v := entitytest.Value(&f.Shape).Draw(t, "now"); rapid.Bool().Draw(t, "changes") && !v.Equal(ours.Values[i]) {
				now.Values[i] = v
				decided = append(decided, f.Name)
			}
		}
		for _, name := range fields {
			if !slices.Contains(decided, name) {
				open = append(open, name)
			}
		}
		whole := rapid.SampledFrom([]string{"", "changed here, deleted there", textcodec.DeletedBy("mine"), textcodec.DeletedBy("shared")}).Draw(t, "whole")
		marks := textcodec.Marks{Ours: "mine", Theirs: "shared", Fields: fields, Other: theirs, Whole: whole}
		marked := textcodec.AppendMarked(nil, ours, marks)
		marks.Fields = open
		want := textcodec.AppendMarked(nil, now, marks)
		got, err := textcodec.Remark(textcodec.Append(nil, now), 7, types, marked)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		again, err := textcodec.Remark(got, 7, types, marked, got)
		require.NoError(t, err)
		require.Equal(t, string(want), string(again), "a conflict stands once")
	})
}

// A text that was made without knowing of the conflicts decides those alone in which it has the
// value of theirs.
func TestConflictsThatATextDoesNotKnowOf(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{
		{Name: "at", Shape: entity.Shape{Kind: entity.KindU8}}, {Name: "on", Shape: entity.Shape{Kind: entity.KindBool}},
	}})
	const head = "Lamp\n0\n7\n"
	at := func(ours, theirs string) string {
		return "<<<<<<< yours\n; at\n    " + ours + "\n=======\n; at\n    " + theirs + "\n>>>>>>> shared\n"
	}
	const on, plainOn = "<<<<<<< yours\n; on\n    true\n=======\n; on\n    false\n>>>>>>> shared\n", "; on\n    true\n"
	for _, c := range []struct{ now, want string }{
		{head + "; at\n    1\n" + plainOn, head + at("1", "2") + on},
		{head + "; at\n    3\n" + plainOn, head + at("3", "2") + on},
		{head + "; at\n    2\n" + plainOn, head + "; at\n    2\n" + on},
		{head + "; at\n    3\n; on\n    false\n", head + at("3", "2") + "; on\n    false\n"},
		{head + at("1", "4") + plainOn, head + at("1", "4") + on},
	} {
		text, err := textcodec.RemarkUndecided([]byte(c.now), 7, types, []byte(head+at("1", "2")+on))
		require.NoError(t, err)
		require.Equal(t, c.want, string(text))
	}
}

// What is settled of a marked text stands as ours has it, and the rest stays marked.
func TestSomeConflictsOfAMarkedTextAreSettled(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{
		{Name: "at", Shape: entity.Shape{Kind: entity.KindVec2}}, {Name: "on", Shape: entity.Shape{Kind: entity.KindBool}},
	}})
	text := "Lamp\n0\n7\n; at\n    1\n<<<<<<< HEAD\n    2\n=======\n    3\n>>>>>>> bob\n; on\n<<<<<<< HEAD\n    false\n=======\n    true\n>>>>>>> bob\n"
	got, err := textcodec.Unmark([]byte(text), 7, types, []string{"at"})
	require.NoError(t, err)
	require.Equal(t, "Lamp\n0\n7\n; at\n    1.000000 : 3f800000\n    2.000000 : 40000000\n<<<<<<< HEAD\n; on\n    false\n=======\n; on\n    true\n>>>>>>> bob\n", string(got))
	got, err = textcodec.Unmark(got, 7, types, []string{"on", "nosuch"})
	require.NoError(t, err)
	require.False(t, textcodec.HasMarkers(got))
	_, err = textcodec.Unmark([]byte("Lamp\n0\n7\n; at\n<<<<<<< HEAD\n    2\n"), 7, types, nil)
	require.Error(t, err)
}

// What git leaves in the middle of a value is a conflict about the whole of it.
func TestAConflictInTheMiddleOfAValueIsAboutAllOfIt(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{
		{Name: "at", Shape: entity.Shape{Kind: entity.KindVec2}}, {Name: "on", Shape: entity.Shape{Kind: entity.KindBool}},
	}})
	marked := "Lamp\n0\n7\n; at\n    1\n<<<<<<< HEAD\n    2\n||||||| base\n    9\n=======\n    3\n>>>>>>> 4d2 (lamps: a bigger one)\n; on\n    false\n"
	now := "Lamp\n0\n7\n; at\n    1\n    2\n; on\n    true\n"
	got, err := textcodec.Remark([]byte(now), 7, types, []byte(marked))
	require.NoError(t, err)
	require.Equal(t, "Lamp\n0\n7\n<<<<<<< HEAD\n; at\n    1.000000 : 3f800000\n    2.000000 : 40000000\n=======\n"+
		"; at\n    1.000000 : 3f800000\n    3.000000 : 40400000\n>>>>>>> 4d2 (lamps: a bigger one)\n; on\n    true\n", string(got))
	for what, other := range map[string]string{
		"another type":  "<<<<<<< a\nLamp\n=======\nLight\n>>>>>>> b\n0\n7\n; at\n    1\n    2\n; on\n    false\n",
		"half a value":  "Lamp\n0\n7\n; at\n    1\n<<<<<<< a\n    2\n=======\n>>>>>>> b\n; on\n    false\n",
		"the same":      "Lamp\n0\n7\n; at\n    1\n<<<<<<< a\n    2\n=======\n    2.0\n>>>>>>> b\n; on\n    false\n",
		"never an end":  "Lamp\n0\n7\n; at\n    1\n    2\n; on\n<<<<<<< a\n    false\n",
		"of revision 1": "Lamp\n<<<<<<< a\n0\n=======\n1\n>>>>>>> b\n7\n; at\n    1\n    2\n; on\n    false\n",
	} {
		_, err := textcodec.Remark([]byte(now), 7, types, []byte(other))
		require.Error(t, err, what)
	}
}

// Of two texts' conflicts those in which theirs is alike are found again, as they are now, whatever
// else was marked or settled since.
func TestConflictsThatAreStillMarked(t *testing.T) {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Fields: []*entity.Field{
		{Name: "at", Shape: entity.Shape{Kind: entity.KindU8}}, {Name: "on", Shape: entity.Shape{Kind: entity.KindBool}},
	}})
	const head = "Lamp\n0\n7\n"
	at := func(ours, theirs string) string {
		return "<<<<<<< yours\n; at\n    " + ours + "\n=======\n; at\n    " + theirs + "\n>>>>>>> shared\n"
	}
	const on = "<<<<<<< yours\n; on\n    false\n=======\n; on\n    true\n>>>>>>> shared\n"
	const gone = "<<<<<<< yours: shared deleted it\n=======\n>>>>>>> shared\n"
	const plainAt, plainOn = "; at\n    1\n", "; on\n    false\n"
	for _, c := range []struct {
		before, now, want string
		fields            []string
	}{
		{head + at("1", "2") + plainOn, head + at("1", "2") + on, head + at("1", "2") + plainOn, []string{"at"}},
		{head + at("1", "2") + on, head + plainAt + on, head + plainAt + on, []string{"on"}},
		{head + at("1", "2") + plainOn, head + at("1", "3") + on, "", nil},
		{head + at("1", "2") + plainOn, head + at("3", "2") + on, head + at("3", "2") + plainOn, []string{"at"}},
		{head + at("1", "2") + plainOn, head + at("2", "1") + on, "", nil},
		{head + at("1", "2") + plainOn, head + plainAt + plainOn, "", nil},
		{head + plainAt + plainOn, head + at("1", "2") + plainOn, "", nil},
		{head + plainAt + plainOn + gone, head + at("1", "2") + plainOn + gone, head + plainAt + plainOn + gone, []string{""}},
		{head + plainAt + on + gone, head + plainAt + on, head + plainAt + on, []string{"on"}},
	} {
		text, fields, err := textcodec.StillMarked([]byte(c.before), []byte(c.now), 7, types)
		require.NoError(t, err)
		require.Equal(t, c.want, string(text))
		require.Equal(t, c.fields, fields)
	}
	_, _, err := textcodec.StillMarked([]byte(head+at("1", "2")+plainOn), []byte(head+plainAt+"<<<<<<< yours\n"), 7, types)
	require.Error(t, err)
}
