package jsonmerge

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// render writes the result into the frame of ours.
func (m *merger) render(p part) []byte {
	d := m.ours
	r := renderer{ours: m.ours, theirs: m.theirs, style: d.style, verbatim: d.style.alike(m.theirs.style)}
	r.out = append(r.out, d.mark...)
	r.out = append(r.out, d.text[:d.root.from]...)
	r.part(p, "")
	return append(r.out, d.text[d.root.to:]...)
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
	brackets := "{}"
	if c.ours.kind == jsontext.KindBeginArray {
		brackets = "[]"
	}
	r.write(brackets[:1])
	if len(c.items) > 0 {
		l := layoutOf(r, c, indent)
		for i := range c.items {
			r.write(l.gap(i))
			if brackets == "{}" {
				r.memberName(c, c.items[i])
			}
			r.part(c.items[i].part, l.indent)
		}
		r.write(l.close)
	}
	r.write(brackets[1:])
}

// memberName writes a name and the colon.
func (r *renderer) memberName(c *made, it item) {
	if it.ours >= 0 {
		r.out = append(r.out, r.ours.text[c.ours.start(it.ours):c.ours.inside.items[it.ours].from]...)
		return
	}
	r.out = append(r.out, r.theirs.rawName(c.theirs, it.theirs)...)
	r.write(r.style.colon)
}

// layout is how a made object or array is laid out.
type layout struct {
	r           *renderer
	c           *made
	indent      string // of a line in it
	open, close string
	comma       string // between two items; "" where ours has nothing to say about it
	uniform     bool   // ours has the same between all items
}

func layoutOf(r *renderer, c *made, indent string) *layout {
	l := &layout{r: r, c: c, indent: indent}
	n := len(c.ours.items())
	if n == 0 {
		l.fromTheirs(indent)
		return l
	}
	l.open, l.close = string(r.ours.gap(c.ours, 0)), string(r.ours.gap(c.ours, n))
	breaks := strings.Contains(l.open, "\n")
	if line := lastLine([]byte(l.open)); breaks && len(line) <= maxIndent {
		l.indent = string(line)
	}
	switch {
	case n > 1:
		l.comma = string(r.ours.gap(c.ours, 1))
		l.uniform = true
		for i := 2; i < n; i++ {
			l.uniform = l.uniform && string(r.ours.gap(c.ours, i)) == l.comma
		}
	case breaks:
		l.comma, l.uniform = ","+l.open, true
	default:
		l.comma, l.uniform = r.style.comma, true
	}
	if len(l.comma) > 2*maxIndent {
		l.comma = r.style.comma
	}
	return l
}

// fromTheirs takes the layout that theirs has.
func (l *layout) fromTheirs(indent string) {
	f := l.r.foreignLayout(l.c.theirs, indent)
	l.indent, l.open, l.close = f.indent, f.gap(0), f.gap(len(l.c.theirs.items()))
	l.comma, l.uniform = l.r.style.comma, true
	if len(l.c.theirs.items()) > 1 {
		l.comma = f.gap(1)
	} else if strings.Contains(l.open, "\n") {
		l.comma = "," + l.open
	}
}

// gap returns what stands before an item.
func (l *layout) gap(i int) string {
	it := l.c.items[i]
	switch {
	case i == 0:
		return l.open
	case it.ours > 0:
		return string(l.r.ours.gap(l.c.ours, it.ours))
	case l.uniform || it.theirs <= 0 || l.r.theirs.style.compact:
		return l.comma
	}
	return l.r.adapt(l.r.theirs.gap(l.c.theirs, it.theirs), l.indent)
}
