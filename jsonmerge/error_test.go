package jsonmerge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, document, want string }{
		{"empty", "", `level.json:1:1: the document is empty`},
		{"blank", "\n \n", `level.json:3:1: the document is empty`},
		{"cut off", "{\n  \"a\": [1, 2", `level.json:2:13: /a: the JSON ends too early; is the file cut off?`},
		{"cut off in a string", "{\n  \"a\": \"tex", `level.json:2:12: /a: the JSON ends too early; is the file cut off?`},
		{"no JSON", "{\n  \"é\": nul\n}", `level.json:2:11: /é: not valid JSON: invalid character '\n' in literal null (expecting 'l')`},
		{"a comma too many", "[1,\n 2,\n]", `level.json:2:3: not valid JSON: a comma with no value before or behind it`},
		{"no comma", "{\"a\": 1\n \"b\": 2}", `level.json:2:2: not valid JSON: invalid character '"' after object value (expecting ',' or '}')`},
		{"a comment", "// level\r\n{}", `level.json:1:1: not valid JSON: JSON has no comments`},
		{"single quotes", "{'a': 1}", `level.json:1:2: not valid JSON: strings are quoted with "`},
		{"two documents", "{}\n{}", `level.json:2:1: there is something behind the document's value`},
		{"rubbish behind", "{}\r\n  ]", `level.json:2:3: not valid JSON: invalid character ']' at start of value`},
		{"a name twice", "{\"rooms\": [{}, {\n\t\"id\": 1,\n\t\"id\": 2\n}]}", `level.json:3:2: /rooms/1: "id" stands twice in one object`},
		{"a name twice, spelled differently", `{"a": 1, "\u0061": 2}`, `level.json:1:10: "a" stands twice in one object`},
		{"invalid UTF-8", "{\"a\": \"x\xffy\"}", `level.json:1:9: /a: not valid JSON: invalid UTF-8`},
		{"half a surrogate", `{"a": "\ud800"}`, `level.json:1:8: /a: not valid JSON: invalid surrogate pair ` + "`\\ud800\"}` in string"},
		{"a bare string", `"a`, `level.json:1:3: the JSON ends too early; is the file cut off?`},
		{"too deep", strings.Repeat("[", 5000), `level.json:1:1001: objects and arrays lie too deep in each other: more than 1000`},
		{"a mark before", "\ufeff{,}", `level.json:1:2: not valid JSON: a comma with no value before or behind it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, report, err := Merge([]byte("{}"), []byte("{}"), []byte(c.document), Options{TheirsName: "level.json"})
			require.EqualError(t, err, c.want)
			require.Empty(t, report)
			_, _, err = Merge([]byte("{}"), []byte(c.document), []byte("{}"), Options{OursName: "level.json"})
			require.EqualError(t, err, c.want)
			if strings.TrimSpace(c.document) != "" {
				_, _, err = Merge([]byte(c.document), []byte("{}"), []byte("{}"), Options{BaseName: "level.json"})
				require.EqualError(t, err, c.want)
			}
		})
	}
}

func TestErrorSaysWhichDocument(t *testing.T) {
	var e *Error
	_, _, err := Merge([]byte("{"), []byte("{}"), []byte("{}"), Options{})
	require.ErrorAs(t, err, &e)
	require.Equal(t, "base", e.Name)
	_, _, err = Merge([]byte("{}"), []byte("{"), []byte("{}"), Options{})
	require.ErrorAs(t, err, &e)
	require.Equal(t, "ours", e.Name)
	_, _, err = Merge([]byte("{}"), []byte("{}"), []byte("{"), Options{})
	require.ErrorAs(t, err, &e)
	require.Equal(t, "theirs", e.Name)
}

func TestAsDeepAsCanBe(t *testing.T) {
	document := func(inner string) []byte {
		return []byte(strings.Repeat(`{"a":[`, MaxDepth/2) + inner + strings.Repeat(`]}`, MaxDepth/2))
	}
	out, report, err := Merge(document("1"), document("2"), document("3"), Options{})
	require.NoError(t, err)
	require.Equal(t, string(document("2")), string(out))
	require.Len(t, report.Conflicts, 1)
}
