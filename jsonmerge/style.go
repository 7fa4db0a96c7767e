package jsonmerge

import (
	"bytes"
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// style is how a document is laid out. What it has no example of is empty.
type style struct {
	known    bool   // false for a document with nothing inside
	compact  bool   // all in one line
	lineEnd  string // "\n" or "\r\n"
	indented bool   // indent is known
	indent   string // what a line gains for each object or array it lies in
	colon    string // between a name and its value, with the white space around
	comma    string // between two items in one line, likewise
	lists    lists  // how arrays of numbers and strings stand
}

// What is written often must not be long: a document could have one line that is
// indented by a million spaces.
const (
	maxSpace  = 64
	maxIndent = 256
)

// example returns white space if it can be an example, "" otherwise.
func example(space []byte) string {
	if len(space) > maxSpace {
		return ""
	}
	return string(space)
}

type lists uint8

const (
	unknownLists lists = iota
	inOneLine
	inLines
)

// alike says whether text laid out in the one style can stand in the other.
func (s style) alike(o style) bool {
	return s.compact == o.compact && s.lineEnd == o.lineEnd && s.indent == o.indent && s.colon == o.colon
}

// or takes what is not known from another style.
func (s style) or(o style) style {
	if !s.known {
		o.lineEnd = cmp.Or(s.lineEnd, o.lineEnd)
		return o
	}
	if !s.indented {
		s.indent, s.indented = o.indent, o.indented
	}
	s.lineEnd = cmp.Or(s.lineEnd, o.lineEnd)
	s.colon = cmp.Or(s.colon, o.colon)
	s.comma = cmp.Or(s.comma, o.comma)
	s.lists = cmp.Or(s.lists, o.lists)
	return s
}

// complete makes up what is still not known.
func (s style) complete() style {
	s.lineEnd = cmp.Or(s.lineEnd, "\n")
	tight := s.compact && (s.colon == ":" || s.comma == ",")
	if s.colon == "" && tight {
		s.colon = ":"
	}
	if s.comma == "" && tight {
		s.comma = ","
	}
	s.colon, s.comma = cmp.Or(s.colon, ": "), cmp.Or(s.comma, ", ")
	return s
}

// agree completes two documents' styles, each from the other, and both from their
// base, which may be nil.
func agree(a, b, base *document) {
	one, two := a.style.or(b.style), b.style.or(a.style)
	if base != nil {
		one, two = one.or(base.style), two.or(base.style)
	}
	a.style, b.style = one.complete(), two.complete()
}

func styleOf(d *document) style {
	s := style{known: len(d.root.items()) > 0}
	s.compact = bytes.IndexByte(d.raw(&d.root), '\n') < 0
	if i := bytes.IndexByte(d.text, '\n'); i >= 0 {
		s.lineEnd = "\n"
		if i > 0 && d.text[i-1] == '\r' {
			s.lineEnd = "\r\n"
		}
	}
	l := styler{d, &s}
	l.look(&d.root)
	return s
}

// styler looks through a document until it has seen everything once.
type styler struct {
	d *document
	s *style
}

func (l styler) done() bool {
	return l.s.comma != "" && l.s.indented && l.s.lists != unknownLists && l.s.colon != ""
}

func (l styler) look(n *node) {
	if len(n.items()) == 0 || l.done() {
		return
	}
	open := l.d.gap(n, 0)
	multiline := bytes.IndexByte(open, '\n') >= 0
	if multiline && !l.s.indented {
		inner, outer := lastLine(open), lastLine(l.d.gap(n, len(n.items())))
		l.s.indent, l.s.indented = example(bytes.TrimPrefix(inner, outer)), true
	}
	if n.kind == jsontext.KindBeginObject && l.s.colon == "" {
		l.s.colon = example(l.d.text[n.inside.names[0].to:n.items()[0].from])
	}
	if len(n.items()) > 1 {
		l.between(n, multiline)
	}
	for i := range n.items() {
		l.look(&n.items()[i])
	}
}

// between looks at what stands between two items.
func (l styler) between(n *node, multiline bool) {
	gap := l.d.gap(n, 1)
	if l.s.comma == "" && bytes.IndexByte(gap, '\n') < 0 {
		l.s.comma = example(gap)
	}
	if l.s.lists == unknownLists && plain(n) {
		l.s.lists = inOneLine
		if multiline {
			l.s.lists = inLines
		}
	}
}

// plain says whether a value is an array with no objects or arrays in it.
func plain(n *node) bool {
	for i := range n.items() {
		if n.items()[i].inside != nil {
			return false
		}
	}
	return n.kind == jsontext.KindBeginArray
}

// lastLine returns what stands behind the last line end, all if there is none.
func lastLine(gap []byte) []byte {
	return gap[bytes.LastIndexByte(gap, '\n')+1:]
}
