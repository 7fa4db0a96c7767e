package jsonmerge

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIDFields(t *testing.T) {
	base := `[{"slug":"a","n":1},{"slug":"b","n":1}]`
	ours := `[{"slug":"b","n":1},{"slug":"a","n":2}]`
	theirs := `[{"slug":"a","n":3},{"slug":"b","n":1}]`
	_, conflicts := merged(t, base, ours, theirs, Options{IDFields: []string{"uid", "slug"}})
	require.Equal(t, "/1/n changed", conflicts)
	_, conflicts = merged(t, base, ours, theirs, Options{})
	require.Equal(t, "/0 deleted", conflicts, "without an ID it was deleted here and created there")

	named := `[{"name":"a"}]`
	_, conflicts = merged(t, named, `[{"name":"b"}]`, `[{"name":"c"}]`, Options{IDFields: []string{}})
	require.Equal(t, "/0/name changed", conflicts)
	_, conflicts = merged(t, named, `[{"name":"b"}]`, `[{"name":"c"}]`, Options{})
	require.Empty(t, conflicts)
}

func TestSide(t *testing.T) {
	for _, side := range []Side{Ours, Theirs} {
		back, err := ParseSide(side.String())
		require.NoError(t, err)
		require.Equal(t, side, back)
	}
	_, err := ParseSide("mine")
	require.EqualError(t, err, `unknown side "mine": want "ours" or "theirs"`)
}

func TestReport(t *testing.T) {
	base := `{"a":1,"b":1,"c":1,"gone":1,"list":["x"],"deep":{"d":1}}`
	ours := `{"a":2,"b":5,"c":2,"list":["x","y"],"deep":{"d":1},"new":0}`
	theirs := `{"a":1,"b":5,"c":3,"list":["w","x"]}`
	_, report, err := Merge([]byte(base), []byte(ours), []byte(theirs), Options{})
	require.NoError(t, err)
	text, err := json.Marshal(report)
	require.NoError(t, err)
	require.Equal(t, `{"ours":3,"theirs":2,"both":2,"conflicts":[{"path":"/c","kind":"changed","taken":"ours","base":1,"ours":2,"theirs":3}]}`, string(text))
}

func TestConflictsInWords(t *testing.T) {
	for _, c := range []struct{ base, ours, theirs, want string }{
		{`1`, `2`, `3`, "the whole document: it was 1, ours has 2, theirs 3; ours is taken"},
		{`{"a":1}`, `{"a":[]}`, `{"a":"x"}`, `/a: it was 1, and the types differ: ours has [], theirs "x"; ours is taken`},
		{`{}`, `{"a":1}`, `{"a":2}`, "/a: both sides created it, ours as 1, theirs as 2; ours is taken"},
		{`{"a":1}`, `{}`, `{"a":2}`, "/a: ours deleted it, theirs changed it to 2; ours is taken"},
		{`{"a":1}`, `{"a":2}`, `{}`, "/a: theirs deleted it, ours changed it to 2; ours is taken"},
		{`["a","b","c"]`, `["b","a","c"]`, `["b","c","a"]`, "the whole document: both sides moved the same elements; ours is taken"},
		{`["a","b","c"]`, `["x","c"]`, `["y","z","w","c"]`, `/0: it was ["a","b"], ours has "x", theirs ["y","z","w"]; ours is taken`},
	} {
		_, report, err := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs), Options{})
		require.NoError(t, err)
		require.Len(t, report.Conflicts, 1)
		require.Equal(t, c.want, report.Conflicts[0].String())
	}
}
