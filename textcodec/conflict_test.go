package textcodec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

const (
	nameLine    = "    \"bunker door\"\n"
	nameField   = "; entity_name\n" + nameLine
	targetLine  = "    6001\n"
	revisionAnd = "72\n6555\n"
)

// conflicted has the published door with conflicts in it whose ours is as
// published.
var conflicted = []struct{ what, text, field string }{
	{"a value, as git has it", strings.Replace(published, nameLine, "<<<<<<< HEAD\n"+nameLine+"=======\n    \"gate\"\n>>>>>>> topic\n", 1), "entity_name"},
	{"a value, with its base", strings.Replace(published, nameLine, "<<<<<<< ours\n"+nameLine+"||||||| base\n    \"x\"\n=======\n    \"gate\"\n>>>>>>> theirs\n", 1), "entity_name"},
	{"a value, as svn has it", strings.Replace(published, nameLine, "<<<<<<< .mine\n"+nameLine+"||||||| .r3\n=======\n    \"gate\"\n>>>>>>> .r4\n", 1), "entity_name"},
	{"a whole field", strings.Replace(published, nameField, "<<<<<<< HEAD\n"+nameField+"=======\n>>>>>>> topic\n", 1), "entity_name"},
	{"an element", strings.Replace(published, targetLine, "<<<<<<< HEAD\n"+targetLine+"=======\n    6002\n>>>>>>> topic\n", 1), "targets"},
	{"the header", strings.Replace(published, revisionAnd, "<<<<<<< HEAD\n"+revisionAnd+"=======\n73\n6555\n>>>>>>> topic\n", 1), ""},
	{"line ends of DOS", strings.ReplaceAll(strings.Replace(published, nameLine, "<<<<<<<\n"+nameLine+"=======\n    \"gate\"\n>>>>>>>\n", 1), "\n", "\r\n"), "entity_name"},
}

func TestOurSideOfAConflictIsRead(t *testing.T) {
	for _, c := range conflicted {
		r, err := textcodec.Decode([]byte(c.text), 6555, entity.NewTypes(door()))
		require.NoError(t, err, c.what)
		require.True(t, publishedDoor().Equal(r.Entity), c.what)
		require.False(t, r.Canonical)
		require.Len(t, r.Findings, 1, c.what)
		f := r.Findings[0]
		require.Equal(t, entity.CodeConflict, f.Code)
		require.True(t, f.Blocks)
		require.Equal(t, c.field, f.Field, c.what)
		require.Equal(t, 1+strings.Count(c.text[:strings.Index(c.text, "<<<<<<<")], "\n"), f.Line, c.what)
		require.Equal(t, `Door 6555 "bunker door"`, strings.SplitN(f.String(), ",", 2)[0])
	}
}

func TestAConflictInLinesThatAreUnknown(t *testing.T) {
	text := "Odd\n1\n5\n; a\n    [\n<<<<<<< x\n    1\n=======\n    2\n>>>>>>> y\n    ]\n"
	r, err := textcodec.Decode([]byte(text), 5, nil)
	require.NoError(t, err)
	require.Equal(t, []entity.Raw{{Name: "a", Lines: "    [\n    1\n    ]"}}, r.Entity.Unknown)
}

func TestLinesAfterAConflictKeepTheirNumbers(t *testing.T) {
	text := conflicted[0].text + "; what\n    [\n"
	_, err := textcodec.Decode([]byte(text), 6555, entity.NewTypes(door()))
	var broken *textcodec.Error
	require.ErrorAs(t, err, &broken)
	require.Equal(t, strings.Count(text, "\n"), broken.Line)
	first := 1 + strings.Count(text[:strings.Index(text, "<<<<<<<")], "\n")
	require.Contains(t, broken.Reason, fmt.Sprintf("there is a conflict, too, which begins on line %d", first))
}
