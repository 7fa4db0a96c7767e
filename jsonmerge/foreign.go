package jsonmerge

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// foreign writes a value of theirs in the style of ours: its line breaks stay, but
// where one of the two documents has none at all.
func (r *renderer) foreign(n *node, indent string) {
	if n.inside == nil || len(indent) > maxIndent {
		r.out = append(r.out, r.theirs.raw(n)...)
		return
	}
	brackets := "{}"
	if n.kind == jsontext.KindBeginArray {
		brackets = "[]"
	}
	r.write(brackets[:1])
	if items := n.items(); len(items) > 0 {
		f := r.foreignLayout(n, indent)
		for i := range items {
			r.write(f.gap(i))
			if brackets == "{}" {
				r.out = append(r.out, r.theirs.rawName(n, i)...)
				r.write(r.style.colon)
			}
			r.foreign(&items[i], f.indent)
		}
		r.write(f.gap(len(items)))
	}
	r.write(brackets[1:])
}

// foreignLayout is how an object or array of theirs is laid out in ours.
type foreignLayout struct {
	r             *renderer
	n             *node
	indent, outer string // of a line in it, and of the one with the closing bracket
	line, own     bool   // all in one line; or with the breaks that it has
}

func (r *renderer) foreignLayout(n *node, indent string) foreignLayout {
	f := foreignLayout{r: r, n: n, indent: indent, outer: indent}
	switch {
	case r.style.compact:
		f.line = true
	case r.theirs.style.compact:
		f.line = plain(n) && r.style.lists != inLines
	default:
		f.own = true
		f.line = !strings.Contains(string(r.theirs.gap(n, 0)), "\n")
	}
	if !f.line {
		f.indent += r.style.indent
	}
	return f
}

// gap returns what stands before an item, or the closing bracket.
func (f *foreignLayout) gap(i int) string {
	n := len(f.n.items())
	indent := f.indent
	if i == n {
		indent = f.outer
	}
	switch {
	case f.own:
		return f.r.adapt(f.r.theirs.gap(f.n, i), indent)
	case f.line && 0 < i && i < n:
		return f.r.style.comma
	case f.line:
		return ""
	case 0 < i && i < n:
		return "," + f.r.style.lineEnd + indent
	}
	return f.r.style.lineEnd + indent
}

// adapt gives white space of theirs the line ends and the indentation of ours.
func (r *renderer) adapt(gap []byte, indent string) string {
	before, after, comma := strings.Cut(string(gap), ",")
	if !comma {
		return r.space(before, indent)
	}
	return r.space(before, indent) + "," + r.space(after, indent)
}

func (r *renderer) space(s, indent string) string {
	breaks := strings.Count(s, "\n")
	switch {
	case r.style.compact:
		return strings.Repeat(" ", min(len(s), 1))
	case breaks == 0:
		return s
	}
	return strings.Repeat(r.style.lineEnd, breaks) + indent
}
