package jsonmerge

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a text and the tree of its values. Nothing of the text is lost: what
// stands between the values is in the gaps, and the comments in these are known.
type document struct {
	name     string
	dialect  Dialect
	mark     []byte // the byte order mark, if there is one
	text     []byte // what follows it
	root     node
	exact    int32     // the root's, with the comments around it
	comments []comment // all, in their order
	first    int32     // where something else than white space and comments begins
	trailing bool      // a comma stands behind a last item
	around   around    // comments before the root and behind it
	style    style
}

// node is a value: where it stands in the text, and its numbers in the table.
type node struct {
	from, to     int32
	value, exact int32 // exact: with the spelling of numbers, and with comments
	kind         jsontext.Kind
	bare         bool   // the braces around the document are left out
	noted        bool   // there are comments in it
	rule         uint16 // the number of its rule, from 1; 0 for none
	inside       *inside
}

// inside is what an object or an array holds.
type inside struct {
	names []name // of an object's members
	items []node
	notes *notes // nil where no comments stand between the items
}

// name is a member's name.
type name struct{ from, to, id int32 }

// items returns the values of an object or array, which may be nil.
func (n *node) items() []node {
	if n == nil || n.inside == nil {
		return nil
	}
	return n.inside.items
}

// notes returns the comments of an object or array, which may be nil.
func (n *node) notes() *notes {
	if n == nil || n.inside == nil {
		return nil
	}
	return n.inside.notes
}

func (n *node) brackets() string {
	if n.kind == jsontext.KindBeginArray {
		return "[]"
	}
	return "{}"
}

// raw returns a value as it is spelled, nil for nil.
func (d *document) raw(n *node) jsontext.Value {
	if n == nil {
		return nil
	}
	return jsontext.Value(d.text[n.from:n.to])
}

func (d *document) rawName(n *node, i int) []byte {
	return d.text[n.inside.names[i].from:n.inside.names[i].to]
}

// start returns where a member or an element begins.
func (n *node) start(i int) int32 {
	if n.kind == jsontext.KindBeginObject {
		return n.inside.names[i].from
	}
	return n.inside.items[i].from
}

// gap returns what stands before an item: white space and comments, and between two
// perhaps a comma. The gap past the last item is that before the closing bracket.
func (d *document) gap(n *node, i int) []byte {
	from, to := n.gapSpan(i)
	return d.text[from:to]
}

func (n *node) gapSpan(i int) (from, to int32) {
	from, to = n.from, n.to
	if !n.bare {
		from, to = from+1, to-1
	}
	if i > 0 {
		from = n.inside.items[i-1].to
	}
	if i < len(n.inside.items) {
		to = n.start(i)
	}
	return from, to
}

// colon returns what stands between a member's name and its value.
func (d *document) colon(n *node, i int) []byte {
	return d.text[n.inside.names[i].to:n.inside.items[i].from]
}

var byteOrderMark = []byte("\ufeff")

// parse reads a document.
func (p *parser) parse(input []byte, name string) (*document, error) {
	d := &document{name: name, dialect: p.dialect, text: input}
	if bytes.HasPrefix(input, byteOrderMark) {
		d.mark, d.text = input[:len(byteOrderMark)], input[len(byteOrderMark):]
	}
	if len(input) > math.MaxInt32 {
		return nil, errorAt(d, 0, "", "the document is larger than 2 GiB")
	}
	d.first = int32(skipSpace(d.text, 0))
	p.document, p.items, p.names = d, p.items[:0], p.names[:0]
	var err error
	if p.scan, err = newScanner(d); err != nil {
		return nil, err
	}
	if d.root, err = p.value(0); err != nil {
		return nil, err
	}
	if err := p.scan.end(); err != nil {
		return nil, err
	}
	d.findAround(p.table)
	d.style = styleOf(d)
	return d, nil
}

// parser reads documents, one after the other.
type parser struct {
	table    *table
	dialect  Dialect
	document *document
	scan     scanner
	items    []node // of the containers that are open, one after the other
	names    []name
}

// value reads a value that lies in so many objects and arrays.
func (p *parser) value(depth int) (n node, err error) {
	if n.kind, n.from, n.to, err = p.scan.next(); err != nil {
		return n, err
	}
	raw := p.document.raw(&n)
	switch n.kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		if depth == MaxDepth {
			reason := fmt.Sprintf("objects and arrays lie too deep in each other: more than %d", MaxDepth)
			return n, errorAt(p.document, int(n.from), "", reason)
		}
		err = p.container(&n, depth)
	case jsontext.KindString:
		n.value = p.table.quoted(raw)
		n.exact = n.value
	case jsontext.KindNumber:
		n.value, n.exact = p.table.number(raw)
	default:
		n.value = p.table.word(raw)
		n.exact = n.value
	}
	return n, err
}

// container reads what follows an opening bracket.
func (p *parser) container(n *node, depth int) (err error) {
	n.bare = n.from == n.to // an opening brace of no width
	items, names := len(p.items), len(p.names)
	for !closes(p.scan.peek()) {
		if n.kind == jsontext.KindBeginObject {
			if err := p.memberName(); err != nil {
				return err
			}
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		p.items = append(p.items, item)
	}
	if _, _, n.to, err = p.scan.next(); err != nil {
		return err
	}
	n.inside = &inside{names: slices.Clone(p.names[names:]), items: slices.Clone(p.items[items:])}
	p.names, p.items = p.names[:names], p.items[:items]
	p.document.findNotes(n, p.table)
	p.table.container(n)
	return nil
}

func (p *parser) memberName() error {
	_, from, to, err := p.scan.next()
	if err != nil {
		return err
	}
	p.names = append(p.names, name{from, to, p.table.quoted(p.document.text[from:to])})
	return nil
}

func closes(k jsontext.Kind) bool {
	return k == jsontext.KindEndObject || k == jsontext.KindEndArray
}

// container numbers an object or array whose items have their numbers.
func (t *table) container(n *node) {
	in := n.inside
	exact := t.notedItems(len(in.items), in.notes, func(i int) int32 { return in.items[i].exact })
	if n.kind == jsontext.KindBeginArray {
		n.value = t.array(len(in.items), func(i int) int32 { return in.items[i].value })
		n.exact = t.array(len(in.items), exact)
	} else {
		n.value = t.object(len(in.items), func(i int) (int32, int32) { return in.names[i].id, in.items[i].value })
		n.exact = t.object(len(in.items), func(i int) (int32, int32) { return in.names[i].id, exact(i) })
	}
	n.exact = t.headed(n.exact, in.notes)
}
