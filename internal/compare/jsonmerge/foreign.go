package jsonmerge

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// foreign writes a value of theirs in the style of ours: its line breaks stay, but
// where one of the two documents has none at all.
func (r *renderer) foreign(n *node, indent string) {
	if n.inside == nil || len(indent) > maxIndent {
		r.foreignRaw(n)
		return
	}
	opening, closing := brackets(n)
	r.write(opening)
	f := r.foreignLayout(n, indent)
	items := n.items()
	for i := range items {
		r.write(f.gap(i))
		if n.kind == jsontext.KindBeginObject {
			r.foreignName(n, i, n.notes().of(i).mid, f.indent)
		}
		r.foreign(&items[i], f.indent)
	}
	r.write(f.gap(len(items)))
	r.write(closing)
}

// foreignRaw writes a value of theirs as it is spelled, with the line ends of ours.
func (r *renderer) foreignRaw(n *node) {
	raw := r.theirs.raw(n)
	if n.kind != jsontext.KindString || bytes.IndexByte(raw, '\n') < 0 {
		r.out = append(r.out, raw...)
		return
	}
	lines := bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	r.out = append(r.out, bytes.ReplaceAll(lines, []byte("\n"), []byte(r.style.lineEnd))...)
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
		f.line = !strings.Contains(string(r.theirs.blank(n, 0)), "\n")
	}
	if !f.line && !n.bare {
		f.indent += r.style.indent
	}
	return f
}

// gap returns what stands before an item, or the closing bracket.
func (f *foreignLayout) gap(i int) string {
	n, c := len(f.n.items()), f.n.notes()
	if c == nil {
		if n == 0 {
			return ""
		}
		return f.skeleton(i)
	}
	w := weaver{f.r.style.lineEnd, f.indent}
	switch {
	case n == 0:
		w.indent += f.r.style.indent
		return w.empty(f.outer, f.n.bare, c)
	case i == n:
		return w.last(f.skeleton(n), f.outer, f.n.bare, c)
	case i == 0:
		return w.first(f.skeleton(0), f.n.bare, c)
	}
	return w.between(f.skeleton(i), c.of(i-1).trail, c.of(i).lead)
}

// skeleton returns the gap without its comments.
func (f *foreignLayout) skeleton(i int) string {
	n := len(f.n.items())
	indent := f.indent
	if i == n {
		indent = f.outer
	}
	between := 0 < i && i < n
	switch {
	case f.own && between:
		return f.r.separator(f.n, i, indent)
	case f.own:
		return f.r.adapt(f.r.theirs.blank(f.n, i), indent, f.trailing(i))
	case f.line && between:
		return separating(f.r.style.comma)
	case f.line:
		return ""
	case between:
		return f.r.style.commas(f.n) + f.r.style.lineEnd + indent
	}
	return f.trailing(i) + f.r.style.lineEnd + indent
}

// trailing returns the comma behind the last item, if ours has such.
func (f *foreignLayout) trailing(i int) string {
	if i > 0 && !f.line && f.r.style.trailing {
		return ","
	}
	return ""
}

// separator returns what theirs has between two items, in the style of ours.
func (r *renderer) separator(n *node, i int, indent string) string {
	gap := r.theirs.blank(n, i)
	comma := r.style.commas(n)
	if bytes.IndexByte(gap, '\n') < 0 && bytes.IndexByte(gap, ',') >= 0 {
		comma = ","
	}
	return separating(r.adapt(gap, indent, comma))
}

// adapt gives white space of theirs the line ends and the indentation of ours, and
// this comma.
func (r *renderer) adapt(gap []byte, indent, comma string) string {
	before, after, had := strings.Cut(string(gap), ",")
	if !had {
		before, after = "", before
	}
	return r.space(before, indent) + comma + r.space(after, indent)
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
