package jsonmerge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// merged merges and returns the result and the conflicts, one a line.
func merged(t require.TestingT, base, ours, theirs string, o Options) (string, string) {
	out, report, err := Merge([]byte(base), []byte(ours), []byte(theirs), o)
	require.NoError(t, err)
	var lines []string
	for _, c := range report.Conflicts {
		lines = append(lines, string(c.Path)+" "+string(c.Kind))
	}
	return string(out), strings.Join(lines, ", ")
}

// TestRules has the rules one by one. conflicts and want are those with ours
// preferred, other is the result with theirs preferred, where it differs.
func TestRules(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want, conflicts, other string }{
		{name: "members of both sides",
			base: `{"a":1,"b":2}`, ours: `{"a":5,"b":2}`, theirs: `{"a":1,"b":6}`, want: `{"a":5,"b":6}`},
		{name: "one value, two opinions",
			base: `{"a":1}`, ours: `{"a":2}`, theirs: `{"a":3}`, want: `{"a":2}`, other: `{"a":3}`, conflicts: "/a changed"},
		{name: "one value, one opinion",
			base: `{"a":1,"b":1}`, ours: `{"a":2,"b":1}`, theirs: `{"a":2,"b":2}`, want: `{"a":2,"b":2}`},
		{name: "a name with a slash",
			base: `{"a/~":1}`, ours: `{"a/~":2}`, theirs: `{"a/~":3}`, want: `{"a/~":2}`, other: `{"a/~":3}`, conflicts: "/a~1~0 changed"},
		{name: "deleted and left alone",
			base: `{"a":1,"b":2,"c":3}`, ours: `{"b":2,"c":3}`, theirs: `{"a":1,"b":2}`, want: `{"b":2}`},
		{name: "deleted and changed",
			base: `{"a":1,"b":{"c":1}}`, ours: `{"a":1}`, theirs: `{"a":1,"b":{"c":2}}`,
			want: `{"a":1}`, other: `{"a":1,"b":{"c":2}}`, conflicts: "/b deleted"},
		{name: "changed and deleted",
			base: `{"a":1,"b":2}`, ours: `{"a":1,"b":3}`, theirs: `{"a":1}`,
			want: `{"a":1,"b":3}`, other: `{"a":1}`, conflicts: "/b deleted"},
		{name: "both created a member",
			base: `{}`, ours: `{"a":{"x":1,"y":2}}`, theirs: `{"a":{"y":3,"z":4}}`,
			want: `{"a":{"x":1,"y":2,"z":4}}`, other: `{"a":{"x":1,"y":3,"z":4}}`, conflicts: "/a/y created"},
		{name: "both created an array",
			base: `{}`, ours: `{"a":[1,2,3]}`, theirs: `{"a":[1,2,4]}`,
			want: `{"a":[1,2,3]}`, other: `{"a":[1,2,4]}`, conflicts: "/a created"},
		{name: "no base",
			base: "", ours: `{"a":1,"b":2}`, theirs: `{"a":1,"c":3}`, want: `{"a":1,"b":2,"c":3}`},
		{name: "another type",
			base: `{"a":1}`, ours: `{"a":"1"}`, theirs: `{"a":2}`, want: `{"a":"1"}`, other: `{"a":2}`, conflicts: "/a type"},
		{name: "another type on one side",
			base: `{"a":1,"b":1}`, ours: `{"a":[1],"b":1}`, theirs: `{"a":1,"b":2}`, want: `{"a":[1],"b":2}`},
		{name: "both to objects",
			base: `{"a":1}`, ours: `{"a":{"x":1}}`, theirs: `{"a":{"y":2}}`, want: `{"a":{"x":1,"y":2}}`},
		{name: "true and false are of one type",
			base: `{"a":null,"b":true}`, ours: `{"a":true,"b":true}`, theirs: `{"a":false,"b":false}`,
			want: `{"a":true,"b":false}`, other: `{"a":false,"b":false}`, conflicts: "/a type"},
		{name: "the document is a number", base: `1`, ours: `2`, theirs: `3`, want: `2`, other: `3`, conflicts: " changed"},

		{name: "new members behind their neighbours",
			base: `{"a":1,"b":2}`, ours: `{"a":1,"x":0,"b":3}`, theirs: `{"n":0,"a":1,"y":0,"b":2,"z":0}`,
			want: `{"n":0,"a":1,"x":0,"y":0,"b":3,"z":0}`},
		{name: "the order of ours",
			base: `{"a":1,"b":2,"c":3}`, ours: `{"c":3,"b":2,"a":1}`, theirs: `{"a":1,"b":5,"new":0,"c":3}`,
			want: `{"c":3,"b":5,"new":0,"a":1}`},

		{name: "elements by ID",
			base:   `[{"id":1,"x":1,"y":1},{"id":2,"x":2,"y":1}]`,
			ours:   `[{"id":2,"x":2,"y":1},{"id":1,"x":5,"y":1}]`,
			theirs: `[{"id":1,"x":1,"y":6},{"id":2,"x":2,"y":7},{"id":3}]`,
			want:   `[{"id":2,"x":2,"y":7},{"id":3},{"id":1,"x":5,"y":6}]`},
		{name: "an element deleted and changed",
			base:   `[{"id":1,"x":1},{"id":2,"x":2},{"id":3,"x":3}]`,
			ours:   `[{"id":1,"x":1},{"id":3,"x":3}]`,
			theirs: `[{"id":1,"x":1},{"id":2,"x":9},{"id":3,"x":3}]`,
			want:   `[{"id":1,"x":1},{"id":3,"x":3}]`, other: `[{"id":1,"x":1},{"id":2,"x":9},{"id":3,"x":3}]`,
			conflicts: "/1 deleted"},
		{name: "the same ID created twice",
			base: `[{"id":1}]`, ours: `[{"id":1},{"id":2,"a":1,"x":1}]`, theirs: `[{"id":1},{"id":2,"b":2,"x":2}]`,
			want: `[{"id":1},{"id":2,"a":1,"x":1}]`, other: `[{"id":1},{"id":2,"b":2,"x":2}]`, conflicts: "/1 created"},
		{name: "the same ID created alike",
			base: `[{"id":1}]`, ours: `[{"id":1},{"id":2,"a":1}]`, theirs: `[{"id":1},{"id":2,"a":1},{"id":3}]`, want: `[{"id":1},{"id":2,"a":1},{"id":3}]`},
		{name: "one element has no ID",
			base:   `[{"id":1,"x":1},{"id":2,"x":2},{"x":9,"y":9}]`,
			ours:   `[{"id":2,"x":2},{"id":1,"x":5},{"x":9,"y":8}]`,
			theirs: `[{"id":1,"x":1},{"id":2,"x":7},{"x":9,"y":9},{"id":3}]`,
			want:   `[{"id":2,"x":7},{"id":1,"x":5},{"x":9,"y":8},{"id":3}]`},
		{name: "an element was copied with its ID",
			base:   `[{"id":1,"x":1},{"id":2,"x":2}]`,
			ours:   `[{"id":1,"x":1},{"id":2,"x":2},{"id":2,"x":3}]`,
			theirs: `[{"id":2,"x":7},{"id":1,"x":1}]`,
			want:   `[{"id":2,"x":7},{"id":2,"x":3},{"id":1,"x":1}]`},
		{name: "moved to two places",
			base: `[{"id":1},{"id":2},{"id":3}]`, ours: `[{"id":2},{"id":1},{"id":3}]`, theirs: `[{"id":2},{"id":3},{"id":1}]`,
			want: `[{"id":2},{"id":1},{"id":3}]`, other: `[{"id":2},{"id":3},{"id":1}]`, conflicts: " order"},
		{name: "IDs that are not distinct",
			base: `[{"name":"a","n":1},{"name":"a","n":2}]`, ours: `[{"name":"a","n":1},{"name":"a","n":3}]`, theirs: `[{"name":"a","n":4},{"name":"a","n":2}]`,
			want: `[{"name":"a","n":4},{"name":"a","n":3}]`},
		{name: "the second field is the ID",
			base: `[{"id":1,"key":"a","v":0},{"id":1,"key":"b","v":0}]`, ours: `[{"id":1,"key":"b","v":0},{"id":1,"key":"a","v":0}]`,
			theirs: `[{"id":1,"key":"a","v":1},{"id":1,"key":"b","v":0}]`,
			want:   `[{"id":1,"key":"b","v":0},{"id":1,"key":"a","v":1}]`},

		{name: "numbers place by place",
			base: `[0,0,0,0,0]`, ours: `[0,7,0,7,0]`, theirs: `[0,0,8,0,8]`, want: `[0,7,8,7,8]`},
		{name: "a vector's component twice",
			base: `[1,2,3]`, ours: `[2,5,3]`, theirs: `[1,9,3]`, want: `[2,5,3]`, other: `[1,9,3]`, conflicts: " changed"},
		{name: "two components of a vector",
			base: `{"a":[1,2,3]}`, ours: `{"a":[5,2,3]}`, theirs: `{"a":[1,2,6]}`, want: `{"a":[5,2,3]}`, other: `{"a":[1,2,6]}`, conflicts: "/a changed"},
		{name: "a vector as an object",
			base: `{"a":{"x":1,"y":2}}`, ours: `{"a":{"x":5,"y":2}}`, theirs: `{"a":{"x":1,"y":6}}`,
			want: `{"a":{"x":5,"y":2}}`, other: `{"a":{"x":1,"y":6}}`, conflicts: "/a changed"},
		{name: "a name says that it is a matrix",
			base: `{"worldTransform":[1,0,0,0,1,0]}`, ours: `{"worldTransform":[2,0,0,0,1,0]}`, theirs: `{"worldTransform":[1,0,0,0,1,7]}`,
			want: `{"worldTransform":[2,0,0,0,1,0]}`, other: `{"worldTransform":[1,0,0,0,1,7]}`, conflicts: "/worldTransform changed"},
		{name: "a colour by its name",
			base: `{"ambient_color":{"h":1,"s":2,"v":3}}`, ours: `{"ambient_color":{"h":5,"s":2,"v":3}}`, theirs: `{"ambient_color":{"h":1,"s":2,"v":6}}`,
			want: `{"ambient_color":{"h":5,"s":2,"v":3}}`, other: `{"ambient_color":{"h":1,"s":2,"v":6}}`, conflicts: "/ambient_color changed"},
		{name: "a colour gets its opacity",
			base: `{"a":[1,2,3]}`, ours: `{"a":[1,2,3,4]}`, theirs: `{"a":[9,2,3]}`, want: `{"a":[1,2,3,4]}`, other: `{"a":[9,2,3]}`, conflicts: "/a changed"},
		{name: "rows",
			base: `[[0,0,0,0,0],[0,0,0,0,0]]`, ours: `[[0,1,0,0,0],[0,0,0,0,1]]`, theirs: `[[2,0,0,0,0],[2,0,0,0,0]]`, want: `[[2,1,0,0,0],[2,0,0,0,1]]`},
		{name: "rows as strings",
			base: `["##","..","..","##"]`, ours: `["##",".x","..","##"]`, theirs: `["##","..","x.","##"]`, want: `["##",".x","x.","##"]`},
		{name: "swapped with two neighbours",
			base: `[0,1,2,3,4]`, ours: `[1,0,2,3,4]`, theirs: `[0,2,1,3,4]`, want: `[1,0,2,3,4]`, other: `[0,2,1,3,4]`, conflicts: " order"},
		{name: "insertions at two places",
			base: `["a","b","c"]`, ours: `["a","x","b","c"]`, theirs: `["a","b","c","y"]`, want: `["a","x","b","c","y"]`},
		{name: "insertions at one place",
			base: `["a"]`, ours: `["a","x"]`, theirs: `["a","y"]`, want: `["a","x","y"]`, other: `["a","y","x"]`},
		{name: "the same insertion",
			base: `["a"]`, ours: `["a","x","z"]`, theirs: `["a","x","y","z"]`, want: `["a","x","y","z"]`},
		{name: "deleted here, inserted there",
			base: `["a","b","c"]`, ours: `["b","c"]`, theirs: `["a","b","n","c"]`, want: `["b","n","c"]`},
		{name: "an element replaced twice",
			base: `["a","b","c"]`, ours: `["a","x","c"]`, theirs: `["a","y","c"]`, want: `["a","x","c"]`, other: `["a","y","c"]`, conflicts: "/1 changed"},
		{name: "elements replaced by more",
			base: `["a","b","c"]`, ours: `["a","x","y","c"]`, theirs: `["a","z","c"]`, want: `["a","x","y","c"]`, other: `["a","z","c"]`, conflicts: "/1 changed"},
		{name: "a plain element deleted and changed",
			base: `["a","b","c"]`, ours: `["a","c"]`, theirs: `["a","z","c"]`, want: `["a","c"]`, other: `["a","z","c"]`, conflicts: "/1 deleted"},
		{name: "a text moved to two places",
			base: `["x","a","b","c"]`, ours: `["a","x","b","c"]`, theirs: `["a","b","x","c"]`,
			want: `["a","x","b","c"]`, other: `["a","b","x","c"]`, conflicts: " order"},
		{name: "objects without IDs",
			base: `[{"w":"a","x":1,"y":1}]`, ours: `[{"w":"a","x":2,"y":1},{"w":"b"}]`, theirs: `[{"w":"c"},{"w":"a","x":1,"y":2}]`,
			want: `[{"w":"c"},{"w":"a","x":2,"y":2},{"w":"b"}]`},
		{name: "both deleted, not the same",
			base: `["a","b","c","d"]`, ours: `["a","d"]`, theirs: `["a","b"]`, want: `["a"]`},

		{name: "a number is no text", base: `{"a":1}`, ours: `{"a":1.0}`, theirs: `{"a":2}`, want: `{"a":2}`},
		{name: "a spelling is kept", base: `{"a":1,"b":1}`, ours: `{"a":1,"b":2}`, theirs: `{"a":1.0,"b":1}`, want: `{"a":1.0,"b":2}`},
		{name: "two spellings", base: `{"a":1}`, ours: `{"a":1.0}`, theirs: `{"a":1e0}`, want: `{"a":1.0}`, other: `{"a":1e0}`},
		{name: "more digits than a float has",
			base: `{"a":12345678901234567890}`, ours: `{"a":12345678901234567891}`, theirs: `{"a":12345678901234567892}`,
			want: `{"a":12345678901234567891}`, other: `{"a":12345678901234567892}`, conflicts: "/a changed"},
		{name: "minus zero", base: `{"a":0}`, ours: `{"a":-0}`, theirs: `{"a":1}`, want: `{"a":-0}`, other: `{"a":1}`, conflicts: "/a changed"},
		{name: "escapes mean nothing", base: `{"a":"é","b":1}`, ours: `{"a":"\u00e9","b":2}`, theirs: `{"a":"é","b":1,"c":0}`, want: `{"a":"\u00e9","b":2,"c":0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, conflicts := merged(t, c.base, c.ours, c.theirs, Options{})
			require.Equal(t, c.want, out)
			require.Equal(t, c.conflicts, conflicts)
			if c.other == "" {
				c.other = c.want
			}
			out, conflicts = merged(t, c.base, c.ours, c.theirs, Options{Prefer: Theirs})
			require.Equal(t, c.other, out)
			require.Equal(t, c.conflicts, conflicts)
		})
	}
}
