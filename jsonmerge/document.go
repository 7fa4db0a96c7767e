package jsonmerge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a JSON text and the tree of its values.
type document struct {
	name  string
	mark  []byte // the byte order mark, if there is one
	text  []byte // what follows it
	root  node
	style style
}

// node is a value: where it stands in the text, and its numbers in the table.
type node struct {
	from, to     int32
	value, exact int32 // exact: with the spelling of numbers
	kind         jsontext.Kind
	inside       *inside // of objects and arrays
}

// inside is what an object or an array holds.
type inside struct {
	names []name // of an object's members
	items []node
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

// gap returns what stands before an item: white space, and between two a comma. The
// gap past the last item is that before the closing bracket.
func (d *document) gap(n *node, i int) []byte {
	from, to := n.from+1, n.to-1
	if i > 0 {
		from = n.inside.items[i-1].to
	}
	if i < len(n.inside.items) {
		to = n.start(i)
	}
	return d.text[from:to]
}

var byteOrderMark = []byte("\ufeff")

// parse reads a document.
func (p *parser) parse(input []byte, name string) (*document, error) {
	d := &document{name: name, text: input}
	if bytes.HasPrefix(input, byteOrderMark) {
		d.mark, d.text = input[:len(byteOrderMark)], input[len(byteOrderMark):]
	}
	if len(input) > math.MaxInt32 {
		return nil, errorAt(d, 0, "", "the document is larger than 2 GiB")
	}
	p.document, p.dec = d, jsontext.NewDecoder(bytes.NewBuffer(d.text))
	p.items, p.names = p.items[:0], p.names[:0]
	var err error
	if d.root, err = p.value(0); err != nil {
		return nil, err
	}
	if _, err := p.dec.ReadToken(); err == nil {
		return nil, errorAt(d, p.skip(int(d.root.to)), "", "there is something behind the document's value")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(d, err)
	}
	d.style = styleOf(d)
	return d, nil
}

// parser reads documents, one after the other.
type parser struct {
	table    *table
	document *document
	dec      *jsontext.Decoder
	items    []node // of the containers that are open, one after the other
	names    []name
}

// skip returns where the next token begins.
func (p *parser) skip(at int) int {
	for at < len(p.document.text) {
		switch p.document.text[at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		default:
			return at
		}
	}
	return at
}

// token reads a token and returns where it stands.
func (p *parser) token() (kind jsontext.Kind, from, to int32, err error) {
	start := p.skip(int(p.dec.InputOffset()))
	token, err := p.dec.ReadToken()
	if err != nil {
		return 0, 0, 0, syntaxError(p.document, err)
	}
	return token.Kind(), int32(start), int32(p.dec.InputOffset()), nil
}

// value reads a value that lies in so many objects and arrays.
func (p *parser) value(depth int) (n node, err error) {
	if n.kind, n.from, n.to, err = p.token(); err != nil {
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
	items, names := len(p.items), len(p.names)
	for !closes(p.dec.PeekKind()) {
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
	if _, _, n.to, err = p.token(); err != nil {
		return err
	}
	n.inside = &inside{names: slices.Clone(p.names[names:]), items: slices.Clone(p.items[items:])}
	p.names, p.items = p.names[:names], p.items[:items]
	p.table.container(n)
	return nil
}

func (p *parser) memberName() error {
	_, from, to, err := p.token()
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
	if n.kind == jsontext.KindBeginArray {
		n.value = t.array(len(in.items), func(i int) int32 { return in.items[i].value })
		n.exact = t.array(len(in.items), func(i int) int32 { return in.items[i].exact })
		return
	}
	n.value = t.object(len(in.items), func(i int) (int32, int32) { return in.names[i].id, in.items[i].value })
	n.exact = t.object(len(in.items), func(i int) (int32, int32) { return in.names[i].id, in.items[i].exact })
}

// appendUnquoted appends what a string that has been read as valid says.
func appendUnquoted(dst, raw []byte) []byte {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return append(dst, inner...)
	}
	dst, _ = jsontext.AppendUnquote(dst, raw)
	return dst
}

func unquote(raw []byte) string { return string(appendUnquoted(nil, raw)) }
