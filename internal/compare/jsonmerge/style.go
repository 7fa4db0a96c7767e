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
	bare     bool   // the document has no braces around it
	lineEnd  string // "\n" or "\r\n"
	indented bool   // indent is known
	indent   string // what a line gains for each object or array it lies in
	colon    string // between a name and its value, with the white space around
	comma    string // between two items in one line, likewise
	lists    lists  // how arrays of numbers and strings stand
	trailing bool   // there are commas behind last items
	names    names  // how names are spelled
	members  commas // whether there are commas between members that stand in lines
	elements commas // and between elements
}

// What is written often must not be long: a document could have one line that is
// indented by a million spaces.
const (
	maxSpace  = 64
	maxIndent = 256
)

// example returns white space if it can be an example, "" otherwise.
func example(space []byte) string {
	if len(space) > maxSpace || bytes.IndexByte(space, '/') >= 0 {
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

type names uint8

const (
	unknownNames names = iota
	quotedNames
	bareNames
)

type commas uint8

const (
	unknownCommas commas = iota
	withCommas
	withoutCommas
)

func (c commas) String() string {
	if c == withoutCommas {
		return ""
	}
	return ","
}

// commas returns what stands between two items of an object or array besides white
// space, if they stand in lines.
func (s style) commas(n *node) string {
	if n.kind == jsontext.KindBeginArray {
		return s.elements.String()
	}
	return s.members.String()
}

// alike reports whether text laid out in the one style can stand in the other.
func (s style) alike(o style) bool {
	return s.compact == o.compact && s.bare == o.bare && s.lineEnd == o.lineEnd && s.indent == o.indent && s.colon == o.colon &&
		s.trailing == o.trailing && s.names == o.names && s.members == o.members && s.elements == o.elements
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
	s.names = cmp.Or(s.names, o.names)
	s.members = cmp.Or(s.members, o.members)
	s.elements = cmp.Or(s.elements, o.elements)
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
	s.members = cmp.Or(s.members, s.elements, withoutCommas)
	s.elements = cmp.Or(s.elements, s.members)
	if s.names == bareNames {
		s.colon = cmp.Or(s.colon, " = ")
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
	s := style{known: len(d.root.items()) > 0, bare: d.root.bare, trailing: d.trailing}
	s.compact = bytes.IndexByte(d.raw(&d.root), '\n') < 0
	if d.dialect != SJSON {
		s.names, s.members, s.elements = quotedNames, withCommas, withCommas
	}
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
	return l.s.comma != "" && l.s.indented && l.s.lists != unknownLists && l.s.colon != "" &&
		l.s.members != unknownCommas && l.s.elements != unknownCommas
}

func (l styler) look(n *node) {
	if len(n.items()) == 0 || l.done() {
		return
	}
	open := l.d.blank(n, 0)
	multiline := bytes.IndexByte(open, '\n') >= 0
	if multiline && !l.s.indented && !n.bare {
		inner, outer := lastLine(open), lastLine(l.d.blank(n, len(n.items())))
		l.s.indent, l.s.indented = example(bytes.TrimPrefix(inner, outer)), true
	}
	if n.kind == jsontext.KindBeginObject {
		l.member(n)
	}
	if len(n.items()) > 1 {
		l.between(n, multiline)
	}
	for i := range n.items() {
		l.look(&n.items()[i])
	}
}

// member looks at an object's first member.
func (l styler) member(n *node) {
	if l.s.colon == "" {
		l.s.colon = example(l.d.colon(n, 0))
	}
	if l.s.names != unknownNames {
		return
	}
	l.s.names = bareNames
	if l.d.rawName(n, 0)[0] == '"' {
		l.s.names = quotedNames
	}
}

// between looks at what stands between two items.
func (l styler) between(n *node, multiline bool) {
	gap := l.d.blank(n, 1)
	if bytes.IndexByte(gap, '\n') >= 0 {
		l.commas(n, gap)
	} else if l.s.comma == "" {
		l.s.comma = example(gap)
	}
	if l.s.lists == unknownLists && plain(n) {
		l.s.lists = inOneLine
		if multiline {
			l.s.lists = inLines
		}
	}
}

// commas looks at what stands between two items in lines.
func (l styler) commas(n *node, gap []byte) {
	have := withoutCommas
	if bytes.IndexByte(gap, ',') >= 0 {
		have = withCommas
	}
	if n.kind == jsontext.KindBeginArray {
		l.s.elements = cmp.Or(l.s.elements, have)
	} else {
		l.s.members = cmp.Or(l.s.members, have)
	}
}

// plain reports whether a value is an array with no objects or arrays in it.
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
