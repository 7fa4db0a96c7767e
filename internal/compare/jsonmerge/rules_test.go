package jsonmerge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func mustRules(t require.TestingT, text string) *Rules {
	r, err := ParseRules([]byte(text), "rules.toml")
	require.NoError(t, err, text)
	return r
}

// TestByRule has the ways to merge one by one.
func TestByRule(t *testing.T) {
	for _, c := range []struct{ name, rules, base, ours, theirs, want, conflicts, other string }{
		{name: "an ID of another name", rules: `path = "/objects"; id = "guid"`,
			base: `{"objects":[{"guid":"a","n":1},{"guid":"b","n":1}]}`, ours: `{"objects":[{"guid":"b","n":1},{"guid":"a","n":2}]}`,
			theirs: `{"objects":[{"guid":"a","n":1},{"guid":"b","n":3}]}`, want: `{"objects":[{"guid":"b","n":3},{"guid":"a","n":2}]}`},
		{name: "not the ID that it seems to be", rules: `path = ""; id = "slot"`,
			base: `[{"id":1,"slot":1,"n":1},{"id":2,"slot":2,"n":1}]`, ours: `[{"id":2,"slot":1,"n":1},{"id":1,"slot":2,"n":1}]`,
			theirs: `[{"id":1,"slot":1,"n":1},{"id":2,"slot":2,"n":5}]`, want: `[{"id":2,"slot":1,"n":1},{"id":1,"slot":2,"n":5}]`},
		{name: "an ID that lies deeper", rules: `path = ""; id = "/meta/guid"`,
			base: `[{"meta":{"guid":1},"n":1},{"meta":{"guid":2},"n":1}]`, ours: `[{"meta":{"guid":2},"n":1},{"meta":{"guid":1},"n":2}]`,
			theirs: `[{"meta":{"guid":1},"n":1},{"meta":{"guid":2},"n":3}]`, want: `[{"meta":{"guid":2},"n":3},{"meta":{"guid":1},"n":2}]`},
		{name: "an ID of two members", rules: `path = ""; id = ["x", "y"]`,
			base: `[{"x":0,"y":0,"t":"a"},{"x":0,"y":1,"t":"b"}]`, ours: `[{"x":0,"y":1,"t":"b"},{"x":0,"y":0,"t":"c"}]`,
			theirs: `[{"x":0,"y":0,"t":"a"},{"x":0,"y":1,"t":"d"},{"x":1,"y":1,"t":"e"}]`, want: `[{"x":0,"y":1,"t":"d"},{"x":1,"y":1,"t":"e"},{"x":0,"y":0,"t":"c"}]`},
		{name: "one ID for two things", rules: `path = ""; id = "guid"`,
			base: `[]`, ours: `[{"guid":1,"n":1}]`, theirs: `[{"guid":1,"n":2}]`, want: `[{"guid":1,"n":1}]`, conflicts: "/0 created", other: `[{"guid":1,"n":2}]`},
		{name: "a set of IDs, not a vector", rules: `path = "/targets"; set = true`,
			base: `{"targets":[1,2]}`, ours: `{"targets":[1,2,3]}`, theirs: `{"targets":[2,4]}`, want: `{"targets":[2,3,4]}`, other: `{"targets":[2,4,3]}`},
		{name: "a set has no order", rules: `path = ""; set = true`,
			base: `["a","b","c"]`, ours: `["b","a","c"]`, theirs: `["b","c","a"]`, want: `["b","a","c"]`, other: `["b","c","a"]`},
		{name: "a set without a base", rules: `path = "/s"; set = true`,
			base: `{}`, ours: `{"s":[1,2]}`, theirs: `{"s":[2,3]}`, want: `{"s":[1,2,3]}`},
		{name: "a list, not a vector", rules: `path = "/*/path"; list = true`,
			base: `{"a":{"path":[1,2]}}`, ours: `{"a":{"path":[1,2,3]}}`, theirs: `{"a":{"path":[0,1,2]}}`, want: `{"a":{"path":[0,1,2,3]}}`},
		{name: "one value", rules: `path = "/**/curve"; value = true`,
			base: `{"a":{"curve":{"in":1,"out":2}}}`, ours: `{"a":{"curve":{"in":5,"out":2}}}`, theirs: `{"a":{"curve":{"in":1,"out":6}}}`,
			want: `{"a":{"curve":{"in":5,"out":2}}}`, other: `{"a":{"curve":{"in":1,"out":6}}}`, conflicts: "/a/curve changed"},
		{name: "members, not a vector", rules: `path = "/tile"; members = true`,
			base: `{"tile":{"x":1,"y":2}}`, ours: `{"tile":{"x":5,"y":2}}`, theirs: `{"tile":{"x":1,"y":6}}`, want: `{"tile":{"x":5,"y":6}}`},
		{name: "a small grid, not a vector", rules: `path = "/data"; grid = 2`,
			base: `{"data":[0,0,0,0]}`, ours: `{"data":[1,0,0,2]}`, theirs: `{"data":[0,1,0,3]}`,
			want: `{"data":[1,1,0,2]}`, other: `{"data":[1,1,0,3]}`, conflicts: "/data/3 changed"},
		{name: "a grid of texts that are unlike", rules: `path = ""; grid = true`,
			base: `["a","b","c"]`, ours: `["b","a","c"]`, theirs: `["a","c","b"]`, want: `["b","a","b"]`, conflicts: "/1 changed", other: `["b","c","b"]`},
		{name: "a grid of rows", rules: `path = ""; grid = true`,
			base: `[[0,0],[0,0]]`, ours: `[[1,0],[0,0]]`, theirs: `[[0,2],[0,0]]`, want: `[[1,2],[0,0]]`},
		{name: "a grid that one side made larger", rules: `path = "/g"; grid = true`,
			base: `{"g":[0,0],"n":1}`, ours: `{"g":[0,0,1],"n":1}`, theirs: `{"g":[0,0],"n":2}`, want: `{"g":[0,0,1],"n":2}`},
		{name: "a grid made larger and changed", rules: `path = ""; grid = true`,
			base: `[0,0]`, ours: `[0,0,1]`, theirs: `[5,0]`, want: `[0,0,1]`, other: `[5,0]`, conflicts: " size"},
		{name: "a grid of objects", rules: `path = ""; grid = true`,
			base: `[{"n":1},{"n":1}]`, ours: `[{"n":2},{"n":1}]`, theirs: `[{"n":1},{"n":1,"m":1}]`, want: `[{"n":2},{"n":1,"m":1}]`},
		{name: "the first rule counts", rules: `path = "/a"; value = true
[[rules]]
path = "/*"; members = true`,
			base: `{"a":{"x":1,"z":1},"b":{"x":1,"y":1}}`, ours: `{"a":{"x":2,"z":1},"b":{"x":2,"y":1}}`, theirs: `{"a":{"x":1,"z":2},"b":{"x":1,"y":2}}`,
			want: `{"a":{"x":2,"z":1},"b":{"x":2,"y":2}}`, other: `{"a":{"x":1,"z":2},"b":{"x":2,"y":2}}`, conflicts: "/a changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := mustRules(t, "[[rules]]\n"+strings.ReplaceAll(c.rules, "; ", "\n"))
			out, conflicts := merged(t, c.base, c.ours, c.theirs, Options{Rules: rules})
			require.Equal(t, c.want, out)
			require.Equal(t, c.conflicts, conflicts)
			if c.other == "" {
				c.other = c.want
			}
			out, conflicts = merged(t, c.base, c.ours, c.theirs, Options{Rules: rules, Prefer: Theirs})
			require.Equal(t, c.other, out)
			require.Equal(t, c.conflicts, conflicts)
		})
	}
}

func TestCellsInWords(t *testing.T) {
	rules := mustRules(t, "[[rules]]\npath = \"/data\"\ngrid = 3")
	_, report := mustMerge(t, []byte(`{"data":[0,0,0,0,0,0]}`), []byte(`{"data":[0,0,0,0,0,1]}`), []byte(`{"data":[0,0,0,0,0,2]}`), Options{Rules: rules})
	require.Len(t, report.Conflicts, 1)
	require.Equal(t, "/data/5 (column 2, row 1): it was 0, ours has 1, theirs 2; ours is taken", report.Conflicts[0].String())
	require.Equal(t, []int{2, 1}, report.Conflicts[0].Cell)
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		yes, no   string // paths, divided by spaces; the root is "."
		inAnArray bool
	}{
		{pattern: "", yes: ".", no: "/a"},
		{pattern: "/a", yes: "/a", no: ". /b /a/a"},
		{pattern: "/*", yes: "/a /b", no: ". /a/b"},
		{pattern: "/**", yes: ". /a /a/b/c"},
		{pattern: "/**/a", yes: "/a /b/a /b/c/a /a/a", no: ". /b /a/b"},
		{pattern: "/a/**/b", yes: "/a/b /a/x/b /a/x/y/b", no: "/b /a"},
		{pattern: "/a/**", yes: "/a /a/b/c", no: ". /b"},
		{pattern: "/**/a/*/**/b", yes: "/a/x/b /x/a/y/z/b", no: "/a/b"},
		{pattern: "/*_color", yes: "/_color /light_color", no: "/color /light_colors"},
		{pattern: "/a*b*c", yes: "/abc /axbxc /abbc", no: "/ab /acb /bc"},
		{pattern: "/a~1b", yes: "/a~1b", no: "/a/b"},
		{pattern: "/~0*", yes: "/~0x", no: "/x"},
		{pattern: "/", yes: "/", no: "."},
	} {
		p, err := parsePattern(c.pattern)
		require.NoError(t, err)
		matches := func(path string) bool {
			at := p.start()
			if path != "." {
				for _, name := range strings.Split(path[1:], "/") {
					at = p.step(at, pointerText.Replace(name), false)
				}
			}
			return p.done(at)
		}
		for _, path := range strings.Fields(c.yes) {
			require.True(t, matches(path), "%s %s", c.pattern, path)
		}
		for _, path := range strings.Fields(c.no) {
			require.False(t, matches(path), "%s %s", c.pattern, path)
		}
	}
	p, err := parsePattern("/a/*/0")
	require.NoError(t, err)
	at := p.step(p.step(p.start(), "a", false), "", true)
	require.True(t, p.done(p.step(at, "0", false)))
	require.False(t, p.done(p.step(at, "", true)), "an element has no name")
}

func TestRulesThatAreWrong(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no TOML", "[[rules]\n", "rules.toml:1: "},
		{"a key that is none", "[[rules]]\npath = \"/a\"\nsets = true\n", `rules.toml:3: unknown key "rules.sets": a rule has path and one of id, set, list, grid, value and members`},
		{"a table that is none", "[[rule]]\npath = \"/a\"\nset = true\n", `rules.toml:1: unknown key "rule": a file of rules has tables [[rules]]`},
		{"no path", "\n[[rules]]\nset = true\n", `rules.toml:2: a rule has a path, such as path = "/layers/*/data"`},
		{"no slash", "[[rules]]\npath = \"layers\"\nset = true\n", `rules.toml:1: path "layers" does not begin with /`},
		{"stars", "[[rules]]\npath = \"/a**\"\nset = true\n", `rules.toml:1: path "/a**": ** stands alone between two /`},
		{"nothing said", "[[rules]]\npath = \"/a\"\n", `rules.toml:1: the rule for path "/a" has 0 of id, set, list, grid, value and members: it needs one`},
		{"two things said", "[[rules]]\npath = \"/a\"\nset = true\nvalue = true\n", `rules.toml:1: the rule for path "/a" has 2 of id, set, list, grid, value and members: it needs one`},
		{"false", "[[rules]]\npath = \"/a\"\nvalue = false\n", `rules.toml:1: value = false says nothing: leave it out, or give another`},
		{"a grid without columns", "[[rules]]\npath = \"/a\"\ngrid = 0\n", `rules.toml:1: grid = 0: want true, or how many columns there are`},
		{"an ID that is no name", "[[rules]]\npath = \"/a\"\nid = 1\n", `rules.toml:1: id = 1: want a member's name, such as "guid", or the path to it, such as "/meta/guid", or a list of these`},
		{"a wrong type", "[[rules]]\npath = \"/a\"\nset = 1\n", `rules.toml:3: `},
		{"twice", "[[rules]]\npath = \"/a\"\nset = true\n[[rules]]\npath = \"/a\"\nvalue = true\n", `rules.toml:4: path "/a" has a rule before, rules.toml:1`},
		{"too deep", "[[rules]]\npath = \"" + strings.Repeat("/a", 64) + "\"\nset = true\n", `rules.toml:1: path "`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseRules([]byte(c.text), "rules.toml")
			require.Error(t, err)
			if strings.HasSuffix(c.want, ": ") || strings.HasSuffix(c.want, `"`) && c.name == "too deep" {
				require.True(t, strings.HasPrefix(err.Error(), c.want), err.Error())
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
}

func TestRemarks(t *testing.T) {
	rules := mustRules(t, `
[[rules]]
path = "/objects"
id = "guid"
[[rules]]
path = "/obejcts"
set = true
[[rules]]
path = "/**/objects"
set = true
[[rules]]
path = "/grid"
grid = 4
[[rules]]
path = "/name"
set = true
[[rules]]
path = "/tags"
set = true
[[rules]]
path = "/list"
members = true
`)
	base := `{"objects":[{"guid":1},{"guid":1},{},{"guid":1},7],"grid":[1,2,3],"name":"a","tags":["x","x"],"list":[]}`
	_, report := mustMerge(t, []byte(base), []byte(base), []byte(`{"objects":[]}`), Options{Rules: rules, BaseName: "a.json", OursName: "b.json"})
	var lines []string
	for _, r := range report.Remarks {
		if r.Document != "b.json" {
			lines = append(lines, r.String())
		}
	}
	require.Equal(t, []string{
		`rules.toml:2: a.json, /objects/1: has an ID that another element before it has (and 1 more)`,
		`rules.toml:2: a.json, /objects/2: has no such ID (and 1 more)`,
		`rules.toml:5: path "/obejcts" matches nothing in any of the documents`,
		`rules.toml:8: path "/**/objects" never counts: rules.toml:2 goes before it, with path "/objects"`,
		`rules.toml:11: a.json, /grid: has 3 elements, which are no rows of 4`,
		`rules.toml:14: a.json, /name: is no array`,
		`rules.toml:17: a.json, /tags: holds a value twice`,
		`rules.toml:20: a.json, /list: is no object`,
	}, lines)
}

func drawRules(t *rapid.T) *Rules {
	var text strings.Builder
	paths := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"", "/*", "/a", "/b", "/**", "/**/a", "/**/b", "/*/*", "/a/*", "/**/*/c",
	}), 1, 3, rapid.ID).Draw(t, "paths")
	for _, path := range paths {
		way := rapid.SampledFrom([]string{
			"set = true", "list = true", "grid = true", "grid = 2", "value = true", "members = true", `id = "id"`, `id = "a"`, `id = ["id", "/a/b"]`,
		}).Draw(t, "way")
		fmt.Fprintf(&text, "[[rules]]\npath = %q\n%s\n", path, way)
	}
	return mustRules(t, text.String())
}

func TestLawsWithRules(t *testing.T) {
	for _, dialect := range []Dialect{JSON, SJSON} {
		t.Run(fmt.Sprint(dialect), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				base, ours, theirs := history(t)
				if dialect == SJSON || rapid.Bool().Draw(t, "comments") {
					base, ours, theirs = remarkedHistory(t, dialect == SJSON)
				}
				o := drawOptions(t)
				o.Dialect, o.Rules = dialect, drawRules(t)
				requireLaws(t, base, ours, theirs, o)
			})
		})
	}
}

// FuzzRules checks that rules of any kind are read or refused, and that what merges by
// them obeys the laws.
func FuzzRules(f *testing.F) {
	f.Add("[[rules]]\npath = \"/**/a\"\nset = true\n", `{"a":[1,2]}`, `{"a":[1,2,3]}`, `{"a":[2,4]}`)
	f.Add("[[rules]]\npath = \"/*\"\nid = [\"x\", \"/b/c\"]\n", `{"a":[{"x":1,"b":{"c":1}}]}`, `{"a":[]}`, `{"a":[{"x":1,"b":{"c":1},"n":0}]}`)
	f.Add("[[rules]]\npath = \"\"\ngrid = 2\n[[rules]]\npath=\"/*\"\nvalue=true\n", `[1,[2],3,4]`, `[1,[2,3],3,5]`, `[1,[],3,6]`)
	f.Fuzz(func(t *testing.T, rules, base, ours, theirs string) {
		r, err := ParseRules([]byte(rules), "rules.toml")
		if err != nil {
			require.Nil(t, r)
			return
		}
		o := Options{Rules: r, Dialect: dialectOf([]byte(base), []byte(ours), []byte(theirs))}
		if _, _, err := Merge([]byte(base), []byte(ours), []byte(theirs), o); err != nil {
			return
		}
		if strings.TrimSpace(base) != "" {
			requireLaws(t, []byte(base), []byte(ours), []byte(theirs), o)
		}
	})
}
