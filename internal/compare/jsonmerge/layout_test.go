package jsonmerge

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// cases returns the archives of whole documents, by name.
func cases(t testing.TB) map[string]map[string]string {
	paths, err := filepath.Glob("testdata/cases/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	out := make(map[string]map[string]string)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		files := make(map[string]string)
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".txtar")] = files
	}
	return out
}

// rulesOf returns the options of an archive.
func rulesOf(t testing.TB, files map[string]string) Options {
	if files["rules.toml"] == "" {
		return Options{}
	}
	return Options{Rules: mustRules(t, files["rules.toml"])}
}

func TestDocuments(t *testing.T) {
	for name, f := range cases(t) {
		t.Run(name, func(t *testing.T) {
			out, report, err := Merge([]byte(f["base.json"]), []byte(f["ours.json"]), []byte(f["theirs.json"]), rulesOf(t, f))
			require.NoError(t, err)
			require.Equal(t, f["want.json"], string(out))
			var conflicts string
			for _, c := range report.Conflicts {
				conflicts += c.String() + "\n"
			}
			require.Equal(t, f["conflicts"], conflicts)
		})
	}
}

// TestDocumentsWithOtherLineEnds merges them as they come from a machine that writes
// other line ends, a byte order mark, and no end to the last line.
func TestDocumentsWithOtherLineEnds(t *testing.T) {
	windows := func(s string) string {
		return "\ufeff" + strings.TrimSuffix(strings.ReplaceAll(s, "\n", "\r\n"), "\r\n")
	}
	for name, f := range cases(t) {
		t.Run(name, func(t *testing.T) {
			out, _ := merged(t, f["base.json"], windows(f["ours.json"]), f["theirs.json"], rulesOf(t, f))
			if name == "tilemap" { // its rows are indented as no rule would
				out = strings.ReplaceAll(out, " ", "")
				f["want.json"] = strings.ReplaceAll(f["want.json"], " ", "")
			}
			require.Equal(t, windows(f["want.json"]), out)
		})
	}
}

func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"ours in one line",
			`{"a": 1, "b": []}`, `{"a": 2, "b": []}`, "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t3,\n\t\t4\n\t]\n}\n", `{"a": 2, "b": [3, 4]}`},
		{"ours with no spaces",
			`{"a":1,"b":{}}`, `{"a":2,"b":{}}`, "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"x\": [1, 2]\n\t}\n}\n", `{"a":2,"b":{"x":[1,2]}}`},
		{"commas in front",
			"{ \"a\": 1\n, \"b\": 2\n}", "{ \"a\": 3\n, \"b\": 2\n}", "{ \"a\": 1\n, \"x\": 0\n, \"b\": 2\n, \"c\": 4\n}",
			"{ \"a\": 3\n, \"x\": 0\n, \"b\": 2\n, \"c\": 4\n}"},
		{"groups",
			"{\n  \"a\": 1,\n\n  \"b\": 2\n}", "{\n  \"a\": 5,\n\n  \"b\": 2\n}", "{\n  \"a\": 1,\n  \"x\": 0,\n\n  \"b\": 2,\n\n  \"c\": 3\n}",
			"{\n  \"a\": 5,\n\n  \"x\": 0,\n\n  \"b\": 2,\n\n  \"c\": 3\n}"},
		{"the first one goes",
			"[ \"1\",\n  \"2\",\n  \"3\" ]", "[ \"1\",\n  \"2\",\n  \"4\" ]", "[ \"2\",\n  \"3\" ]", "[ \"2\",\n  \"4\" ]"},
		{"everything of ours goes",
			"{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": 1\n}", "{\n  \"a\": {},\n  \"b\": 1\n}", "{\n  \"a\": {\n    \"x\": 1,\n    \"y\": 2\n  },\n  \"b\": 1\n}",
			"{\n  \"a\": {\n    \"y\": 2\n  },\n  \"b\": 1\n}"},
		{"everything goes",
			`{"a": {"x": 1, "y": 2}, "b": 1}`, `{"a": {"x": 1}, "b": 1}`, `{"a": {"y": 2}, "b": 1}`, `{"a": {}, "b": 1}`},
		{"an empty document grows",
			"{\"a\": 1}\n", "{ }\n", "{\"a\": 1, \"b\": [2, 3]}", "{\"b\": [2, 3]}\n"},
		{"a new layout of what ours left alone",
			"{\n  \"a\": [1, 2],\n  \"b\": 1\n}", "{\n  \"a\": [1, 2],\n  \"b\": 2\n}", "{\n  \"a\": [\n    1,\n    2,\n    3\n  ],\n  \"b\": 1\n}",
			"{\n  \"a\": [\n    1,\n    2,\n    3\n  ],\n  \"b\": 2\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := merged(t, c.base, c.ours, c.theirs, Options{})
			require.Equal(t, c.want, out)
		})
	}
}

func TestBytesAreKept(t *testing.T) {
	base := "{\n\t\"a\" : [1 ,2], \"b\":1.50}\n\n"
	theirs := "{\"b\":1.5,\"a\":[1,2,3]}"
	out, _ := merged(t, base, base, theirs, Options{})
	require.Equal(t, theirs, out, "ours is the base")
	out, _ = merged(t, base, theirs, base, Options{})
	require.Equal(t, theirs, out, "theirs is the base")
	out, _ = merged(t, base, "{\"a\":[1,2,3],\"b\":1.5e0}", theirs, Options{})
	require.Equal(t, "{\"a\":[1,2,3],\"b\":1.5e0}", out, "the value is that of ours")
	respelled := "{\n\t\"a\": [1, 2], \"b\": 1.50}\n"
	out, _ = merged(t, base, base, respelled, Options{})
	require.Equal(t, respelled, out, "only the layout changed")
}

// TestLongSpaceIsNotRepeated has documents whose layout, applied to the other's
// content, would be much larger than both.
func TestLongSpaceIsNotRepeated(t *testing.T) {
	far := strings.Repeat(" ", 100_000)
	many := strings.TrimSuffix(strings.Repeat("[[{}],0],", 2000), ",")
	deep := strings.Repeat("[", 900) + strings.Repeat("]", 900)
	theirs := `{"a":1,"b":[` + many + `],"c":` + deep + `}`
	for _, ours := range []string{
		"{\n" + far + "\"a\":2, \"b\":[" + "\n" + far + "7" + far + "," + far + "\n\n9]}",
		"{" + far + "\"a\"" + far + ":2" + far + "," + far + "\"b\":[7" + far + ", 9]}",
		"{\n" + strings.Repeat(" ", 60) + "\"a\": 2,\n\"b\": [\n7,\n\n9\n]\n}",
	} {
		out, _ := merged(t, `{"a":1,"b":[]}`, ours, theirs, Options{})
		require.Less(t, len(out), len(ours)+200*len(theirs))
		require.Equal(t, decoded(t, []byte(`{"a":2,"b":[7,9,`+many+`],"c":`+deep+`}`)), decoded(t, []byte(out)))
	}
}
