package jsonmerge

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// result is a merged document.
type result struct {
	root   part
	around around
}

// render writes the result into the frame of ours.
func (m *merger) render(res result) []byte {
	d := m.ours
	r := renderer{ours: m.ours, theirs: m.theirs, style: d.style, verbatim: d.style.alike(m.theirs.style)}
	r.out = append(r.out, d.mark...)
	w := weaver{lineEnd: d.style.lineEnd}
	if lead := res.around.lead; sameComments(lead, d.around.lead) {
		r.out = append(r.out, d.text[:d.root.from]...)
	} else {
		r.write(string(d.blankSpan(0, d.root.from, false)) + w.list(lead))
	}
	r.part(res.root, "")
	if trail := res.around.trail; sameComments(trail, d.around.trail) {
		r.out = append(r.out, d.text[d.root.to:]...)
	} else {
		r.write(w.behind(trail) + string(d.blankSpan(d.root.to, int32(len(d.text)), true)))
	}
	return r.out
}

// renderer writes a result. indent is, everywhere, what the line begins with in which
// a value begins.
type renderer struct {
	ours, theirs *document
	style        style
	verbatim     bool // theirs is laid out like ours
	out          []byte
}

func (r *renderer) write(s string) { r.out = append(r.out, s...) }

func (r *renderer) part(p part, indent string) {
	switch {
	case p.made != nil:
		r.made(p.made, indent)
	case p.doc == r.ours || r.verbatim:
		r.out = append(r.out, p.doc.raw(p.node)...)
	default:
		r.foreign(p.node, indent)
	}
}

// made writes an object or array in the layout that it has in ours; in that of theirs
// if ours has nothing in it.
func (r *renderer) made(c *made, indent string) {
	opening, closing := brackets(c.ours)
	r.write(opening)
	l := layoutOf(r, c, indent)
	for i := range c.items {
		r.write(l.gap(i))
		if c.ours.kind == jsontext.KindBeginObject {
			r.memberName(c, i, l.indent)
		}
		r.part(c.items[i].part, l.indent)
	}
	r.write(l.gap(len(c.items)))
	r.write(closing)
}

// brackets returns what stands around an object or array.
func brackets(n *node) (opening, closing string) {
	if n.bare {
		return "", ""
	}
	b := n.brackets()
	return b[:1], b[1:]
}

// memberName writes a name and the colon.
func (r *renderer) memberName(c *made, i int, indent string) {
	it := c.items[i]
	mid := c.notes.of(i).mid
	switch {
	case it.ours < 0:
		r.foreignName(c.theirs, it.theirs, mid, indent)
	case sameComments(mid, c.ours.notes().of(it.ours).mid):
		r.out = append(r.out, r.ours.text[c.ours.start(it.ours):c.ours.inside.items[it.ours].from]...)
	default:
		r.out = append(r.out, r.ours.rawName(c.ours, it.ours)...)
		r.colon(mid, indent)
	}
}

// foreignName writes a name of theirs, and the colon.
func (r *renderer) foreignName(n *node, i int, mid []comment, indent string) {
	raw := r.theirs.rawName(n, i)
	switch text := unquote(raw); {
	case r.style.names == quotedNames && raw[0] != '"':
		r.out = appendQuoted(r.out, text)
	case r.style.names == bareNames && text != "" && nameEnd([]byte(text), 0) == len(text) && text[0] != '"':
		r.write(text)
	default:
		r.out = append(r.out, raw...)
	}
	r.colon(mid, indent)
}

func (r *renderer) colon(mid []comment, indent string) {
	r.write(r.style.colon)
	w := weaver{r.style.lineEnd, indent}
	r.write(w.list(mid))
}

// layout is how a made object or array is laid out.
type layout struct {
	r           *renderer
	c           *made
	indent      string // of a line in it
	outer       string // of the line that it begins in
	open, close string
	comma       string // between two items; "" where ours has nothing to say about it
	uniform     bool   // ours has the same between all items
}

func layoutOf(r *renderer, c *made, indent string) *layout {
	l := &layout{r: r, c: c, indent: indent, outer: indent}
	n := len(c.ours.items())
	switch {
	case n > 0:
		l.fromOurs(n)
	case len(c.items) > 0:
		l.fromTheirs(indent)
	default:
		l.indent += r.style.indent
	}
	if c.ours.bare && !strings.ContainsAny(l.comma, ",\n") {
		l.comma = r.style.lineEnd
	}
	return l
}

// fromOurs takes the layout that ours has.
func (l *layout) fromOurs(n int) {
	r, c := l.r, l.c
	l.open, l.close = string(r.ours.blank(c.ours, 0)), string(r.ours.blank(c.ours, n))
	breaks := strings.Contains(l.open, "\n")
	if line := lastLine([]byte(l.open)); breaks && len(line) <= maxIndent {
		l.indent = string(line)
	}
	switch {
	case n > 1:
		l.comma = string(r.ours.blank(c.ours, 1))
		l.uniform = true
		for i := 2; i < n; i++ {
			l.uniform = l.uniform && string(r.ours.blank(c.ours, i)) == l.comma
		}
	case breaks:
		l.comma, l.uniform = r.style.commas(c.ours)+l.open, true
	default:
		l.comma, l.uniform = r.style.comma, true
	}
	if len(l.comma) > 2*maxIndent {
		l.comma = r.style.comma
	}
}

// fromTheirs takes the layout that theirs has.
func (l *layout) fromTheirs(indent string) {
	f := l.r.foreignLayout(l.c.theirs, indent)
	l.indent, l.open, l.close = f.indent, f.skeleton(0), f.skeleton(len(l.c.theirs.items()))
	l.comma, l.uniform = l.r.style.comma, true
	if len(l.c.theirs.items()) > 1 {
		l.comma = f.skeleton(1)
	} else if strings.Contains(l.open, "\n") {
		l.comma = l.r.style.commas(l.c.theirs) + l.open
	}
}

// gap returns what stands before an item, or the closing bracket.
func (l *layout) gap(i int) string {
	c, n := l.c, len(l.c.items)
	if c.notes == nil {
		if n == 0 {
			return ""
		}
		return l.skeleton(i)
	}
	if text, ok := l.asInOurs(i); ok {
		return text
	}
	w := weaver{l.r.style.lineEnd, l.indent}
	switch {
	case n == 0:
		return w.empty(l.outer, c.ours.bare, c.notes)
	case n == i:
		return w.last(l.skeleton(n), l.outer, c.ours.bare, c.notes)
	case i == 0:
		return w.first(l.skeleton(0), c.ours.bare, c.notes)
	}
	return w.between(l.skeleton(i), c.notes.of(i-1).trail, c.notes.of(i).lead)
}

// asInOurs returns what ours has between two items, if they are neighbours there and
// their comments are the same.
func (l *layout) asInOurs(i int) (string, bool) {
	c, on := l.c, l.c.ours.notes()
	n, m := len(c.items), len(c.ours.items())
	at := m // the gap of ours
	if i < n {
		at = c.items[i].ours
	}
	if at < 0 || (i == 0) != (at == 0) || i > 0 && c.items[i-1].ours != at-1 {
		return "", false
	}
	head, tail := on.ends()
	same := sameComments(c.notes.of(i-1).trail, on.of(at-1).trail)
	if i == 0 {
		same = sameComments(c.notes.head, head)
	}
	if i == n {
		same = same && sameComments(c.notes.tail, tail)
	} else {
		same = same && sameComments(c.notes.items[i].lead, on.of(at).lead)
	}
	return string(l.r.ours.gap(c.ours, at)), same
}

// skeleton returns what stands before an item, or the closing bracket, without the
// comments.
func (l *layout) skeleton(i int) string {
	switch {
	case i == 0:
		return l.open
	case i == len(l.c.items):
		return l.close
	}
	return separating(l.separator(l.c.items[i]))
}

func (l *layout) separator(it item) string {
	switch {
	case it.ours > 0:
		return string(l.r.ours.blank(l.c.ours, it.ours))
	case l.uniform || it.theirs <= 0 || l.r.theirs.style.compact:
		return l.comma
	}
	return l.r.separator(l.c.theirs, it.theirs, l.indent)
}

// separating returns what stands between two items, with a space if there is nothing.
func separating(gap string) string {
	if gap == "" {
		return " "
	}
	return gap
}
