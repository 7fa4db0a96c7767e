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
		{"a comma too many", "[1,\n 2,,\n]", `level.json:2:4: /2: not valid JSON: a comma with no value before or behind it`},
		{"a comma alone", "[\n ,]", `level.json:2:2: not valid JSON: a comma with no value before or behind it`},
		{"a comma for a value", "{\n\"a\":,}", `level.json:2:5: /a: not valid JSON: a comma with no value before or behind it`},
		{"no comma", "{\"a\": 1\n \"b\": 2}", `level.json:2:2: not valid JSON: invalid character '"' after object value (expecting ',' or '}')`},
		{"half a comment", "/ level\r\n{}", `level.json:1:1: not valid JSON: a comment begins with // or /*`},
		{"a comment without end", "{}\n /* level\n", `level.json:2:2: a comment is not closed: */ is missing`},
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

func TestErrorsInSJSON(t *testing.T) {
	for _, c := range []struct{ name, document, want string }{
		{"no value", "a = 1\nb =\n", `x.level:3:1: /b: the SJSON ends too early; is the file cut off?`},
		{"no separator", "a 1", `x.level:1:1: not valid SJSON: = or : is missing behind "a"`},
		{"nothing but a name", "a = 1\nbc", `x.level:2:1: not valid SJSON: = or : is missing behind "bc"`},
		{"cut off", "a = {\n b = [1", `x.level:2:8: /a/b/1: the SJSON ends too early; is the file cut off?`},
		{"cut off in a string", "a = \"bc\\\"", `x.level:1:10: /a: the SJSON ends too early; is the file cut off?`},
		{"cut off in a text", "a = \"\"\"b\n\"\"", `x.level:1:5: /a: not valid SJSON: the text that begins with """ does not end with """`},
		{"cut off in a text as in Lua", "a = [==[b]=]", `x.level:1:5: /a: not valid SJSON: the text that begins with [==[ does not end with ]==]`},
		{"a brace too many", "a = 1\n}", `x.level:2:1: not valid SJSON: '}' where a name is expected`},
		{"the wrong bracket", "a = [1}", `x.level:1:7: /a/1: not valid SJSON: '}' where a value is expected`},
		{"two commas", "a = [1,,2]", `x.level:1:8: /a/1: not valid SJSON: ',' where a value is expected`},
		{"a name twice", "a = { b = 1 \"b\" = 2 }", `x.level:1:13: /a: "b" stands twice in one object`},
		{"no number", "a = 1.2.3", `x.level:1:5: /a: not valid SJSON: "1.2.3" is no number; a text that begins like one has quotes`},
		{"a sign", "a = -", `x.level:1:5: /a: not valid SJSON: "-" is no number; a text that begins like one has quotes`},
		{"two documents", "{}\na = 1", `x.level:2:1: there is something behind the document's value`},
		{"half a surrogate", `a = "\ud800"`, `x.level:1:6: /a: not valid SJSON: \u is not followed by a character's four hexadecimal digits`},
		{"invalid UTF-8", "a = 1 // \xff", `x.level:1:10: not valid SJSON: invalid UTF-8`},
		{"a comment without end", "a = 1 /*/", `x.level:1:7: a comment is not closed: */ is missing`},
		{"single quotes", "a = 'b'", `x.level:1:5: /a: not valid SJSON: '\'' where a value is expected`},
		{"too deep", "a = " + strings.Repeat("[", 5000), `x.level:1:1004: objects and arrays lie too deep in each other: more than 1000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, report, err := Merge(nil, []byte(c.document), []byte("a = 1"), Options{OursName: "x.level"})
			require.EqualError(t, err, c.want)
			require.Empty(t, report)
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
