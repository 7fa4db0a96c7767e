package jsonmerge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// tree is a JSON value that keeps its members' order: a scalar's spelling, an array
// or an object.
type tree struct {
	scalar string
	array  bool
	names  []string
	items  []tree
}

// drawTree draws a value such as content has, with much in it that is alike.
func drawTree(t *rapid.T, depth int) tree {
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	if depth == 0 {
		kind = 0
	}
	switch kind {
	case 4, 5:
		return drawObject(t, depth, rapid.IntRange(0, 4).Draw(t, "members"))
	case 6:
		n := tree{array: true}
		for i := range rapid.IntRange(0, 4).Draw(t, "elements") {
			e := drawObject(t, depth, rapid.IntRange(0, 3).Draw(t, "members"))
			if rapid.IntRange(0, 7).Draw(t, "no ID") > 0 {
				e.names, e.items = append([]string{"id"}, e.names...), append([]tree{{scalar: fmt.Sprint(i)}}, e.items...)
			}
			n.items = append(n.items, e)
		}
		return n
	case 7:
		n := tree{array: true}
		for range rapid.IntRange(0, 5).Draw(t, "elements") {
			n.items = append(n.items, drawTree(t, depth-1))
		}
		return n
	}
	return drawScalar(t)
}

func drawScalar(t *rapid.T) tree {
	return tree{scalar: rapid.SampledFrom([]string{
		"null", "true", "false", "0", "1", "1.0", "-0", "2", "10e-1", "-3.25", `""`, `"a"`, `"\u0061"`, `"b"`, `"c"`, `"é\n"`,
	}).Draw(t, "scalar")}
}

func drawObject(t *rapid.T, depth, members int) tree {
	n := tree{}
	for range members {
		n.add(rapid.SampledFrom([]string{"a", "b", "c", "d", "e/~"}).Draw(t, "name"), drawTree(t, depth-1))
	}
	return n
}

func (n *tree) add(name string, v tree) {
	if !slices.Contains(n.names, name) {
		n.names, n.items = append(n.names, name), append(n.items, v)
	}
}

// change draws another version of a value.
func (n tree) change(t *rapid.T) tree {
	if n.scalar != "" || rapid.IntRange(0, 15).Draw(t, "replace") == 0 {
		if rapid.IntRange(0, 3).Draw(t, "scalar changes") == 0 {
			return drawTree(t, 1)
		}
		return n
	}
	out := tree{array: n.array}
	for i, item := range n.items {
		switch rapid.IntRange(0, 11).Draw(t, "item") {
		case 0: // deleted
			continue
		case 1: // another before it
			out.insert(t)
		case 2, 3, 4:
			item = item.change(t)
		}
		if out.items = append(out.items, item); !n.array {
			out.names = append(out.names, n.names[i])
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "append") == 0 {
		out.insert(t)
	}
	if k := len(out.items); k > 1 && rapid.IntRange(0, 9).Draw(t, "move") == 0 {
		i, j := rapid.IntRange(0, k-1).Draw(t, "i"), rapid.IntRange(0, k-1).Draw(t, "j")
		out.items[i], out.items[j] = out.items[j], out.items[i]
		if !n.array {
			out.names[i], out.names[j] = out.names[j], out.names[i]
		}
	}
	return out
}

func (n *tree) insert(t *rapid.T) {
	if v := drawTree(t, 1); n.array {
		if len(n.items) > 0 && len(n.items[0].names) > 0 && n.items[0].names[0] == "id" {
			v = tree{names: []string{"id", "a"}, items: []tree{{scalar: fmt.Sprint(rapid.IntRange(10, 12).Draw(t, "id"))}, v}}
		}
		n.items = append(n.items, v)
	} else {
		name := "n" + fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "new"))
		n.add(name, v)
	}
}

// layouts are ways to write a document: what stands behind brackets and commas for
// each level, and behind colons.
var layouts = []struct{ line, indent, colon, comma string }{
	{"", "", ":", ","},
	{"", "", ": ", ", "},
	{"\n", "\t", ": ", ","},
	{"\n", "  ", " : ", ","},
	{"\r\n", "    ", ":", ","},
}

func (n tree) text(layout int) []byte {
	var out strings.Builder
	n.write(&out, layout, 0)
	return []byte(out.String())
}

func (n tree) write(out *strings.Builder, layout, depth int) {
	l := layouts[layout]
	if n.scalar != "" {
		out.WriteString(n.scalar)
		return
	}
	brackets := "{}"
	if n.array {
		brackets = "[]"
	}
	out.WriteString(brackets[:1])
	for i, item := range n.items {
		if i > 0 {
			out.WriteString(l.comma)
		}
		out.WriteString(l.line + strings.Repeat(l.indent, depth+1))
		if !n.array {
			name, _ := json.Marshal(n.names[i])
			out.WriteString(string(name) + l.colon)
		}
		item.write(out, layout, depth+1)
	}
	if len(n.items) > 0 {
		out.WriteString(l.line + strings.Repeat(l.indent, depth))
	}
	out.WriteString(brackets[1:])
}

// written draws how a value is written.
func written(t *rapid.T, n tree) []byte {
	return n.text(rapid.IntRange(0, len(layouts)-1).Draw(t, "layout"))
}

// history draws a base and two versions of it.
func history(t *rapid.T) (base, ours, theirs []byte) {
	b := drawTree(t, 3)
	return written(t, b), written(t, b.change(t)), written(t, b.change(t))
}
