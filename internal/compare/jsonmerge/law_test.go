package jsonmerge

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// decoded is a document's value as another reader has it.
func decoded(t require.TestingT, document []byte) (v any) {
	require.NoError(t, json.Unmarshal(document, &v), "%s", document)
	return signed(v)
}

// signed tells -0 from 0, which are equal in Go.
func signed(v any) any {
	switch v := v.(type) {
	case float64:
		if v == 0 && math.Signbit(v) {
			return json.Number("-0")
		}
	case []any:
		for i := range v {
			v[i] = signed(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = signed(v[name])
		}
	}
	return v
}

func mustMerge(t require.TestingT, base, ours, theirs []byte, o Options) ([]byte, Report) {
	out, report, err := Merge(base, ours, theirs, o)
	require.NoError(t, err, "%s\n%s\n%s", base, ours, theirs)
	return out, report
}

func drawOptions(t *rapid.T) Options {
	return Options{Prefer: Side(rapid.IntRange(0, 1).Draw(t, "prefer"))}
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, _ := history(t)
		if rapid.Bool().Draw(t, "unrelated") {
			b = written(t, drawTree(t, 3))
		}
		o := drawOptions(t)
		out, report := mustMerge(t, a, a, b, o)
		require.Equal(t, string(b), string(out))
		require.Empty(t, report.Conflicts)
		out, report = mustMerge(t, a, b, a, o)
		require.Equal(t, string(b), string(out))
		require.Empty(t, report.Conflicts)
		require.Zero(t, report.Theirs)
		out, report = mustMerge(t, a, b, b, o)
		require.Equal(t, string(b), string(out))
		require.Empty(t, report.Conflicts)
		out, _ = mustMerge(t, nil, b, b, o)
		require.Equal(t, string(b), string(out))
	})
}

// TestOtherLayouts has the same laws where the three are not written alike.
func TestOtherLayouts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawTree(t, 3)
		w := v.change(t)
		a1, a2, b1, b2 := written(t, v), written(t, v), written(t, w), written(t, w)
		o := drawOptions(t)
		for _, sides := range [][3][]byte{{a1, a2, b1}, {a1, b1, a2}, {a1, b1, b2}} {
			out, report := mustMerge(t, sides[0], sides[1], sides[2], o)
			require.Equal(t, decoded(t, b1), decoded(t, out), "%s", out)
			require.Empty(t, report.Conflicts)
		}
		for _, theirs := range [][]byte{a2, b2} {
			want := b1
			if string(a1) == string(b1) { // then theirs may have changed its layout
				want = theirs
			}
			out, _ := mustMerge(t, a1, b1, theirs, o)
			require.Equal(t, string(want), string(out))
		}
	})
}

// TestOneLayout checks that a merge of documents that a program wrote in one way is
// what the program would write.
func TestOneLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		example := tree{names: []string{"list"}, items: []tree{{array: true, items: []tree{{scalar: "1"}, {scalar: "2"}}}}}
		document := func(v tree) tree {
			return tree{names: []string{"example", "value"}, items: []tree{example, v}}
		}
		v := drawTree(t, 3)
		layout := rapid.IntRange(0, len(layouts)-1).Draw(t, "layout")
		ours, theirs := document(v.change(t)), document(v.change(t))
		out, _ := mustMerge(t, document(v).text(layout), ours.text(layout), theirs.text(layout), drawOptions(t))
		require.Equal(t, string(parseTree(t, out).text(layout)), string(out))
	})
}

// parseTree reads a document into a tree.
func parseTree(t require.TestingT, document []byte) tree {
	p := parser{table: newTable()}
	d, err := p.parse(document, "")
	require.NoError(t, err)
	return d.tree(&d.root)
}

func (d *document) tree(n *node) tree {
	if n.inside == nil {
		return tree{scalar: string(d.raw(n))}
	}
	out := tree{array: d.text[n.from] == '['}
	for i := range n.items() {
		if !out.array {
			out.names = append(out.names, unquote(d.rawName(n, i)))
		}
		out.items = append(out.items, d.tree(&n.items()[i]))
	}
	return out
}

func TestSidesSwapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := history(t)
		one, r1 := mustMerge(t, base, ours, theirs, Options{Prefer: Ours})
		two, r2 := mustMerge(t, base, theirs, ours, Options{Prefer: Theirs})
		require.Equal(t, decoded(t, one), decoded(t, two), "%s\n%s", one, two)
		require.Equal(t, []int{r1.Ours, r1.Theirs, r1.Both}, []int{r2.Theirs, r2.Ours, r2.Both})
		paths := func(r Report) (out []string) {
			for _, c := range r.Conflicts {
				out = append(out, fmt.Sprint(c.Path, c.Kind))
			}
			slices.Sort(out)
			return out
		}
		require.Equal(t, paths(r1), paths(r2))
	})
}

func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := history(t)
		out, report := mustMerge(t, base, ours, theirs, drawOptions(t))
		l := loss{t, report}
		l.look("", decoded(t, base), decoded(t, ours), decoded(t, theirs), decoded(t, out))
	})
}

// loss looks for changes of one side that are neither in the result nor within a
// conflict.
type loss struct {
	t      *rapid.T
	report Report
}

// absent is the value of a member that is not there.
type absent struct{}

func (l loss) look(path string, b, o, t, out any) {
	if l.excused(path) {
		return
	}
	switch {
	case reflect.DeepEqual(b, t):
		require.Equal(l.t, o, out, "a change of ours is lost at %q", path)
		return
	case reflect.DeepEqual(b, o):
		require.Equal(l.t, t, out, "a change of theirs is lost at %q", path)
		return
	}
	if members, ok := out.(map[string]any); ok {
		om, tm := asObject(o), asObject(t)
		for name := range union(members, om, tm, asObject(b)) {
			at := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			l.look(at, get(asObject(b), name), get(om, name), get(tm, name), get(members, name))
		}
	} else if elements, ok := out.([]any); ok && !l.below(path) {
		l.elements(path, asArray(b), asArray(o), elements)
		l.elements(path, asArray(b), asArray(t), elements)
	}
}

// elements looks for scalars that a side put into an array.
func (l loss) elements(path string, b, side, out []any) {
	has := func(list []any, v any) bool {
		return slices.ContainsFunc(list, func(w any) bool { return reflect.DeepEqual(v, w) })
	}
	for _, v := range side {
		if k := reflect.ValueOf(v).Kind(); k != reflect.Map && k != reflect.Slice && !has(b, v) {
			require.True(l.t, has(out, v), "%v is lost at %q", v, path)
		}
	}
}

// excused says whether a conflict is reported at the path or above.
func (l loss) excused(path string) bool {
	return slices.ContainsFunc(l.report.Conflicts, func(c Conflict) bool {
		return path == string(c.Path) || strings.HasPrefix(path, string(c.Path)+"/")
	})
}

// below says whether a conflict is reported below the path.
func (l loss) below(path string) bool {
	return slices.ContainsFunc(l.report.Conflicts, func(c Conflict) bool {
		return strings.HasPrefix(string(c.Path), path+"/")
	})
}

func asObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func asArray(v any) []any {
	a, _ := v.([]any)
	return a
}

func get(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	return absent{}
}

func union(maps ...map[string]any) map[string]bool {
	out := make(map[string]bool)
	for _, m := range maps {
		for name := range m {
			out[name] = true
		}
	}
	return out
}
