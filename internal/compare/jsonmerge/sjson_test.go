package jsonmerge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSJSONSays has documents in SJSON and what they say in JSON.
func TestSJSONSays(t *testing.T) {
	for _, c := range []struct{ sjson, json string }{
		{"", `{}`},
		{"// nothing\n", `{}`},
		{"a = 1", `{"a":1}`},
		{"a:1,b=2 c = 3\nd=4,", `{"a":1,"b":2,"c":3,"d":4}`},
		{`{ "a" = true b = false, c = null }`, `{"a":true,"b":false,"c":null}`},
		{"a = [1 2,3\n4,]", `{"a":[1,2,3,4]}`},
		{"a = [[1 2] [3]]", `{"a":[[1,2],[3]]}`},
		{"a=[{x=1}{x=2}]b={}", `{"a":[{"x":1},{"x":2}],"b":{}}`},
		{"win32.x64 = 1\nrender-config = 2 3 = 4 true = 5", `{"win32.x64":1,"render-config":2,"3":4,"true":5}`},
		{"a = core/units/door b = x1", `{"a":"core/units/door","b":"x1"}`},
		{"a = +1.5 b = .5 c = 007 d = 1. e = -0 f = 1E+2", `{"a":1.5,"b":0.5,"c":7,"d":1,"e":-0,"f":100}`},
		{"a = \"x\ny\" b = \"\\q\\/\\\"\\u00e9\\ud83d\\ude00\"", `{"a":"x\ny","b":"q/\"é😀"}`},
		{"a = \"\"\"\n\"x\" \\n\r\n\"\"\"", `{"a":"\n\"x\" \\n\n"}`},
		{"a = [=[x]] ]=] b = [==[]=]]==]", `{"a":"x]] ","b":"]=]"}`},
		{"a = \"\" b = \"\"\"\"\"\"", `{"a":"","b":""}`},
		{"a /* x */ = // y\n 1", `{"a":1}`},
		{"a = 1//x\nb = 2/**/c = x/y//z", `{"a":1,"b":2,"c":"x/y"}`},
		{"\ufeffé = ü", `{"é":"ü"}`},
	} {
		p := parser{table: newTable(), dialect: SJSON}
		got, err := p.parse([]byte(c.sjson), "sjson")
		require.NoError(t, err, c.sjson)
		p.dialect = JSON
		want, err := p.parse([]byte(c.json), "json")
		require.NoError(t, err, c.json)
		require.Equal(t, want.root.value, got.root.value, c.sjson)
		require.Equal(t, decoded(t, []byte(c.json)), decoded(t, got.standard(&got.root)), c.sjson)
	}
}

func TestDialectIsDetected(t *testing.T) {
	for _, sjson := range []string{
		"a = 1", "a: 1", "// x\n/* y */ a = 1", "{ a: 1 }", `{ "a" = 1 }`, `"a" = 1`, `"a": 1`, "\ufeffa=1", "\n{\n// x\na /* y */ = 1",
	} {
		require.Equal(t, SJSON, dialectOf([]byte(sjson)), sjson)
	}
	for _, json := range []string{
		"", "{}", "[]", "[a = 1]", `{"a": 1}`, `// x` + "\n" + `{"a": 1}`, "1", `"a"`, "null", "{'a': 1}", `{"a" 1}`, "{", `{"a`, "= 1", "{,}", "// a = 1",
	} {
		require.Equal(t, JSON, dialectOf([]byte(json)), json)
	}
}

// TestRemarkedLayout has how comments and the notations are laid out.
func TestRemarkedLayout(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want, conflicts string }{
		{name: "strict JSON gets no comma behind the last item",
			base: "{\n  \"a\": 1\n}", ours: "{\n  \"a\": 2\n}", theirs: "{\n  \"a\": 1,\n  \"b\": [\n    1,\n  ],\n}",
			want: "{\n  \"a\": 2,\n  \"b\": [\n    1\n  ]\n}"},
		{name: "commas behind last items are kept",
			base: "{\n  \"a\": 1,\n}", ours: "{\n  \"a\": 2,\n}", theirs: "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 1\n  }\n}",
			want: "{\n  \"a\": 2,\n  \"b\": {\n    \"c\": 1,\n  },\n}"},
		{name: "a comment behind the last item, and one more item",
			base: "[\n  1 // one\n]", ours: "[\n  1 // one!\n]", theirs: "[\n  1, // one\n  2 // two\n]",
			want: "[\n  1, // one!\n  2 // two\n]"},
		{name: "a comment in the same line moves with its item",
			base: "[{\"id\":1}, /* two */ {\"id\":2}, {\"id\":3}]", ours: "[/* two */ {\"id\":2}, {\"id\":1}, {\"id\":3}]", theirs: "[{\"id\":1}, /* two */ {\"id\":2,\"n\":1}, {\"id\":3}]",
			want: "[/* two */ {\"id\":2,\"n\":1}, {\"id\":1}, {\"id\":3}]"},
		{name: "both changed a comment",
			base: "{\n// x\n\"a\":1}", ours: "{\n// y\n\"a\":1}", theirs: "{\n// z\n\"a\":2}",
			want: "{\n// y\n\"a\":2}", conflicts: "/a comment"},
		{name: "both added a comment",
			base: "{\n\"a\":1}", ours: "{\n// y\n\"a\":1}", theirs: "{\n// z\n\"a\":2}",
			want: "{\n// y\n// z\n\"a\":2}"},
		{name: "a comment comes into one line",
			base: `[1, 2]`, ours: `[5, 2, 6]`, theirs: "[\n  1,\n  // two\n  2\n]",
			want: `[5, 2, 6]`, conflicts: " comment"},
		{name: "a comment on a value that is deleted",
			base: "{\n  // x\n  \"a\": 1,\n  // y\n  \"b\": 2\n}", ours: "{\n  // x\n  \"a\": 1,\n  // y\n  \"b\": 3\n}", theirs: "{\n  // y\n  \"b\": 2\n}",
			want: "{\n  // y\n  \"b\": 3\n}"},
		{name: "everything goes but the comments",
			base: "[ // h\n  \"a\",\n  \"b\"\n  // t\n]", ours: "[ // h\n  \"b\"\n  // t\n]", theirs: "[ // h\n  \"a\"\n  // t\n]",
			want: "[ // h\n  // t\n]"},
		{name: "indentation of comments is no change",
			base: "{\n  // x\n  \"a\": 1\n}", ours: "{\n    // x\n    \"a\": 1\n}", theirs: "{\n  // y\n  \"a\": 1\n}",
			want: "{\n    // y\n    \"a\": 1\n}"},
		{name: "a comment within a vector",
			base: `{"a":[1, 2, 3 /* up */],"b":1}`, ours: `{"a":[1, 2, 3 /* height */],"b":1}`, theirs: `{"a":[1, 2, 5 /* up */],"b":1}`,
			want: `{"a":[1, 2, 5 /* height */],"b":1}`},
		{name: "SJSON: theirs is JSON",
			base: "a = 1\nb = 2\n", ours: "a = 5\nb = 2\n", theirs: "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": {\n    \"x y\": [1, 2],\n    \"z\": 3\n  }\n}\n",
			want: "a = 5\nb = 2\nc = {\n  \"x y\" = [1, 2]\n  z = 3\n}\n"},
		{name: "SJSON: ours is JSON",
			base: `{"a": 1}`, ours: "{\n  \"a\": 5,\n  \"b\": 1\n}\n", theirs: "a = 1\nc = {\n\tx = 1\n\ty = \"\"\"z\"\"\"\n}\n",
			want: "{\n  \"a\": 5,\n  \"b\": 1,\n  \"c\": {\n    \"x\": 1,\n    \"y\": \"\"\"z\"\"\"\n  }\n}\n"},
		{name: "SJSON: one member, and one more",
			base: "a = 1", ours: "a = 2", theirs: "a = 1 b = 2", want: "a = 2\nb = 2"},
		{name: "SJSON: items without anything between",
			base: `a=[{x=1}{x=2}]`, ours: `a=[{x=1}{x=3}]`, theirs: `a=[{x=1}{x=2}{x=5 y=1}]`, want: `a=[{x=1} {x=3} {x=5 y=1}]`},
		{name: "SJSON: a heading stays above",
			base: "// head\n\n// a's\na = 1\nb = 1\n", ours: "// head\n\n// a's\na = 1\nb = 2\n", theirs: "// head\n\nb = 1\n", want: "// head\n\nb = 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, conflicts := merged(t, c.base, c.ours, c.theirs, Options{})
			require.Equal(t, c.want, out)
			require.Equal(t, c.conflicts, conflicts)
		})
	}
}

// FuzzSJSON checks that what is read as SJSON is kept to the byte, and that a change
// of one side is taken.
func FuzzSJSON(f *testing.F) {
	for _, text := range []string{
		"a = 1 // x\nb = [1 2 3]\n", "{ \"a\" : [=[ x ]=], b = \"\"\"y\"\"\" }", "// h\n\na = {\n\t// x\n}\n", "a=\"\\ud83d\\ude00\"b=.5,c=+1",
	} {
		f.Add([]byte(text), []byte("b = 2"))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		o := Options{Dialect: SJSON}
		if out, _, err := Merge(a, a, b, o); err != nil {
			require.Nil(t, out)
			return
		}
		requireLaws(t, a, b, a, o)
		requireLaws(t, a, b, b, o)
		requireLaws(t, nil, a, b, o)
	})
}
