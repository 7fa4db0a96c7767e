package jsonmerge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// remarked is a value with comments, and how it is to be written.
type remarked struct {
	tree
	head, tail []string
	around     []remarks
	inside     []remarked
}

type remarks struct{ lead, mid, trail []string }

func drawComments(t *rapid.T, odds int) (out []string) {
	for rapid.IntRange(0, odds).Draw(t, "comment") == 0 && len(out) < 3 {
		out = append(out, rapid.SampledFrom([]string{
			"// a", "// b, c", "/* d */", "/* e\n   f */", "//", "/**/", `// "g": {`, "/* // */",
		}).Draw(t, "text"))
	}
	return out
}

func drawRemarks(t *rapid.T) remarks {
	return remarks{drawComments(t, 5), drawComments(t, 30), drawComments(t, 5)}
}

// remark draws comments for a value.
func remark(t *rapid.T, v tree) remarked {
	out := remarked{tree: v}
	if v.scalar != "" {
		return out
	}
	out.head, out.tail = drawComments(t, 9), drawComments(t, 9)
	for _, item := range v.items {
		out.around, out.inside = append(out.around, drawRemarks(t)), append(out.inside, remark(t, item))
	}
	return out
}

// change draws another version of a value and its comments.
func (n remarked) change(t *rapid.T) remarked {
	if n.scalar != "" {
		if rapid.IntRange(0, 5).Draw(t, "scalar") == 0 {
			return remarked{tree: drawScalar(t)}
		}
		return n
	}
	out := remarked{tree: tree{array: n.array}, head: n.head, tail: n.tail}
	if rapid.IntRange(0, 9).Draw(t, "ends") == 0 {
		out.head, out.tail = drawComments(t, 2), drawComments(t, 2)
	}
	for i, item := range n.inside {
		around := n.around[i]
		switch rapid.IntRange(0, 9).Draw(t, "item") {
		case 0:
			continue
		case 1:
			around = drawRemarks(t)
		case 2, 3:
			item = item.change(t)
		}
		out.append(n.name(i), item, around)
	}
	if rapid.IntRange(0, 3).Draw(t, "new") == 0 {
		name := "n" + fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "name"))
		out.append(name, remark(t, drawTree(t, 1)), drawRemarks(t))
	}
	return out
}

func (n *remarked) name(i int) string {
	if n.array {
		return ""
	}
	return n.names[i]
}

func (n *remarked) append(name string, item remarked, around remarks) {
	if !n.array {
		for _, other := range n.names {
			if other == name {
				return
			}
		}
		n.names = append(n.names, name)
	}
	n.around, n.inside = append(n.around, around), append(n.inside, item)
	n.items = append(n.items, item.tree)
}

// writer writes remarked values in a dialect and a layout.
type writer struct {
	strings.Builder
	t       *rapid.T
	sjson   bool
	compact bool
	bare    bool // names, and no braces around the document
	commas  bool
	last    bool // commas behind last items
	colon   string
	lineEnd string
	indent  string
}

func drawWriter(t *rapid.T, sjson bool) *writer {
	w := &writer{t: t, sjson: sjson, commas: true, colon: ": "}
	w.compact = rapid.IntRange(0, 4).Draw(t, "compact") == 0
	w.lineEnd = rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end")
	w.indent = rapid.SampledFrom([]string{"\t", "  ", ""}).Draw(t, "indent")
	w.last = rapid.Bool().Draw(t, "last")
	if sjson {
		w.bare, w.commas = rapid.Bool().Draw(t, "bare"), rapid.Bool().Draw(t, "commas")
		w.colon = rapid.SampledFrom([]string{" = ", "=", ": "}).Draw(t, "colon")
	}
	return w
}

// document writes one.
func (w *writer) document(n remarked) []byte {
	bare := w.bare && !n.array && n.scalar == ""
	if !bare {
		w.line(drawComments(w.t, 5), 0)
	}
	w.value(n, 0, bare)
	if !bare {
		w.comments(drawComments(w.t, 5))
	}
	return []byte(w.String())
}

// comments writes some, each so that what follows is no part of it.
func (w *writer) comments(list []string) {
	for _, c := range list {
		w.WriteString(" " + strings.ReplaceAll(c, "\n", w.lineEnd))
		if strings.HasPrefix(c, "//") {
			w.WriteString(w.lineEnd)
		}
	}
}

// line writes comments in front of something.
func (w *writer) line(list []string, depth int) {
	for _, c := range list {
		w.WriteString(strings.ReplaceAll(c, "\n", w.lineEnd))
		if !w.compact || strings.HasPrefix(c, "//") {
			w.WriteString(strings.Repeat(w.lineEnd, rapid.IntRange(1, 2).Draw(w.t, "lines")) + strings.Repeat(w.indent, depth))
		}
	}
}

func (w *writer) newLine(depth int) {
	if !w.compact {
		w.WriteString(w.lineEnd + strings.Repeat(w.indent, depth))
	} else {
		w.WriteString(" ")
	}
}

func (w *writer) value(n remarked, depth int, bare bool) {
	if n.scalar != "" {
		w.WriteString(n.scalar)
		return
	}
	brackets := "{}"
	if n.array {
		brackets = "[]"
	}
	if bare {
		depth--
	} else {
		w.WriteString(brackets[:1])
		w.comments(n.head)
		w.newLine(depth + 1)
	}
	for i := range n.inside {
		w.item(&n, i, depth)
		if i < len(n.inside)-1 {
			w.newLine(depth + 1)
		}
	}
	w.comments(n.tail)
	if !bare {
		w.newLine(depth)
		w.WriteString(brackets[1:])
	}
}

func (w *writer) item(n *remarked, i, depth int) {
	w.line(n.around[i].lead, depth+1)
	if !n.array {
		w.name(n.names[i])
		w.WriteString(w.colon)
		w.comments(n.around[i].mid)
	}
	w.value(n.inside[i], depth+1, false)
	early := rapid.Bool().Draw(w.t, "early")
	if early {
		w.comments(n.around[i].trail)
	}
	if w.commas && (i < len(n.inside)-1 || w.last) {
		w.WriteString(",")
	}
	if !early {
		w.comments(n.around[i].trail)
	}
}

func (w *writer) name(name string) {
	if w.bare && nameEnd([]byte(name), 0) == len(name) {
		w.WriteString(name)
		return
	}
	quoted, _ := json.Marshal(name)
	w.Write(quoted)
}

// remarkedHistory draws a base and two versions of it with comments.
func remarkedHistory(t *rapid.T, sjson bool) (base, ours, theirs []byte) {
	v := drawTree(t, 2)
	if sjson && v.scalar != "" {
		v = tree{names: []string{"a"}, items: []tree{v}}
	}
	b := remark(t, v)
	o, th := b.change(t), b.change(t)
	if sjson && v.names == nil && v.array == false {
		o.scalar, th.scalar = "", ""
	}
	w := *drawWriter(t, sjson)
	writers := [3]writer{w, w, w}
	if rapid.Bool().Draw(t, "other layouts") {
		writers[1], writers[2] = *drawWriter(t, sjson), *drawWriter(t, sjson)
	}
	return writers[0].document(b), writers[1].document(o), writers[2].document(th)
}

// requireReadBack checks that what is written is read as what was merged: every value
// and every comment, where it belongs. It returns the result.
func requireReadBack(t require.TestingT, base, ours, theirs []byte, o Options) []byte {
	m, err := newMerger(base, ours, theirs, o)
	require.NoError(t, err, "%s\n---\n%s\n---\n%s", base, ours, theirs)
	var b *node
	if m.base != nil {
		b = &m.base.root
	}
	r := result{root: m.merge(b, &m.ours.root, &m.theirs.root)}
	r.around = m.mergeOutside()
	want := m.table.noted(r.root.exact, r.around)
	out := m.render(r)
	p := parser{table: m.table, dialect: m.dialect}
	d, err := p.parse(out, "merged")
	require.NoError(t, err, "%s\n---\n%s\n---\n%s\n---\n%s", base, ours, theirs, out)
	require.Equal(t, want, d.exact, "%s\n---\n%s\n---\n%s\n---\n%s", base, ours, theirs, out)
	require.Equal(t, r.root.value, d.root.value)
	return out
}

func TestRemarkedLaws(t *testing.T) {
	for _, dialect := range []Dialect{JSON, SJSON} {
		t.Run(fmt.Sprint(dialect), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				base, ours, theirs := remarkedHistory(t, dialect == SJSON)
				o := drawOptions(t)
				o.Dialect = dialect
				requireLaws(t, base, ours, theirs, o)
			})
		})
	}
}

func requireLaws(t require.TestingT, base, ours, theirs []byte, o Options) {
	out, report := mustMerge(t, base, base, theirs, o)
	require.Equal(t, string(theirs), string(out))
	require.Empty(t, report.Conflicts)
	out, report = mustMerge(t, base, ours, base, o)
	require.Equal(t, string(ours), string(out))
	require.Empty(t, report.Conflicts)
	out, report = mustMerge(t, base, ours, ours, o)
	require.Equal(t, string(ours), string(out))
	require.Empty(t, report.Conflicts)
	one := requireReadBack(t, base, ours, theirs, o)
	o.Prefer = 1 - o.Prefer
	two := requireReadBack(t, base, theirs, ours, o)
	requireEqual(t, one, two, o.Dialect, base, ours, theirs)
}
