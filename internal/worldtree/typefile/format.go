package typefile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
)

// Format returns the file that declares t.
func Format(t *entity.Type) []byte {
	w := writer{}
	w.file(treeOf(t))
	return w.out
}

// orphansLine stands above the comments of fields that have been removed.
const orphansLine = "# from fields no longer there:"

// Update returns old changed so that it declares t. A comment stays with what it
// is about; one whose field is no longer there is kept at the end. If old
// declares just t already, it is returned as it is. The error is that of a file
// that does not parse.
func Update(old []byte, t *entity.Type) ([]byte, error) {
	return update(old, t, "types file")
}

func update(old []byte, t *entity.Type, file string) ([]byte, error) {
	was, root, err := parse(old, file)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(interchange.AppendType(nil, was), interchange.AppendType(nil, t)) {
		return old, nil
	}
	tree := treeOf(t)
	dry := writer{written: make(map[string]bool)}
	dry.file(tree)
	g := gatherer{comments: make(map[string]*comments)}
	g.table("", root)
	after := root.comments.after
	if orphans := g.settle(dry.written); len(orphans) > 0 {
		if !slices.Contains(after, orphansLine) {
			if len(after) > 0 {
				after = append(after, "")
			}
			after = append(after, orphansLine)
		}
		after = append(after, orphans...)
	}
	w := writer{comments: g.comments}
	w.remarks(root.comments.above)
	if len(root.comments.above) > 0 {
		w.remarks([]string{""})
	}
	w.file(tree)
	if len(after) > 0 {
		w.remarks(append([]string{""}, after...))
	}
	return w.out, nil
}

// treeOf returns the tree of a type's canonical JSON.
func treeOf(t *entity.Type) *node {
	dec := jsontext.NewDecoder(bytes.NewReader(interchange.AppendType(nil, t)), jsontext.AllowDuplicateNames(true))
	return jsonTree(dec, 0)
}

// maxInline is how deep a value may be nested before it is written as JSON in a
// string.
const maxInline = 24

// jsonTree reads the next value.
func jsonTree(dec *jsontext.Decoder, depth int) *node {
	switch kind := dec.PeekKind(); {
	case depth >= maxInline+2*entity.MaxDepth && (kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray),
		kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray:
		// A type's own JSON is valid, so there is no error to look for here.
		raw, _ := dec.ReadValue()
		return &node{json: string(raw)}
	case kind == jsontext.KindBeginArray:
		n := &node{kind: array}
		for dec.ReadToken(); dec.PeekKind() != jsontext.KindEndArray; {
			n.items = append(n.items, jsonTree(dec, depth+1))
		}
		dec.ReadToken()
		return n
	}
	n := &node{kind: table}
	for dec.ReadToken(); dec.PeekKind() != jsontext.KindEndObject; {
		key, _ := dec.ReadToken()
		name := key.String()
		n.add(name, jsonTree(dec, depth+1))
	}
	dec.ReadToken()
	return n
}

// writer writes a tree as TOML, with comments.
type writer struct {
	out      []byte
	comments map[string]*comments // by path; may be nil
	written  map[string]bool      // paths of the lines written; nil if the caller does not ask
}

func (w *writer) file(root *node) { w.body(root, "", "", true) }

// body writes a table's keys, then the tables in it. Keys of the file are
// written after path header, those of comments after path.
func (w *writer) body(n *node, header, path string, declares bool) {
	for _, e := range n.entries {
		if !declares || !isSection(e, header == "") {
			w.line(path+separator+e.key, e)
		}
	}
	if !declares {
		return
	}
	for _, e := range n.entries {
		if isSection(e, header == "") {
			w.section(e, joinKey(header, e.key), path+separator+e.key)
		}
	}
}

// isSection reports whether a key of a type, field or shape is written as a
// table of its own: what would be long on one line.
func isSection(e *entry, top bool) bool {
	v := e.value
	switch e.key {
	case "fields":
		return v.kind == array && len(v.items) > 0
	case "of":
		for inner := e; inner != nil; inner = inner.value.get("of") {
			if inner.value.get("fields") != nil {
				return true
			}
		}
		return false
	case "mount", "attributes":
		return top && v.kind == table && len(v.entries) > 0 && v.get(embedKey) == nil
	}
	return false
}

func joinKey(header, key string) string {
	if header == "" {
		return key
	}
	return header + "." + key
}

func (w *writer) section(e *entry, header, path string) {
	if e.key != "fields" {
		w.header("["+header+"]", path)
		w.body(e.value, header, path, e.key == "of")
		return
	}
	for i, name := range itemNames(e.key, e.value) {
		p := path + separator + name
		w.header("[["+header+"]]", p)
		w.body(e.value.items[i], header, p, true)
	}
}

func (w *writer) header(text, path string) {
	w.remarks([]string{""})
	w.commented(text, path)
}

func (w *writer) line(path string, e *entry) {
	text := string(appendKey(nil, e.key)) + " = "
	value := string(appendInline(nil, e.value, 0))
	if len(text)+len(value) > 100 && e.value.kind == array {
		value = string(appendLong(nil, e.value))
	}
	w.commented(text+value, path)
}

// commented writes a line and the comments that belong to it.
func (w *writer) commented(text, path string) {
	if w.written != nil {
		w.written[path] = true
	}
	c := w.comments[path]
	if c == nil {
		c = &comments{}
	}
	w.remarks(c.above)
	w.out = append(w.out, text...)
	if c.trail != "" {
		w.out = append(append(w.out, ' '), c.trail...)
	}
	w.out = append(w.out, '\n')
}

func (w *writer) remarks(lines []string) {
	for _, l := range lines {
		w.out = append(append(w.out, l...), '\n')
	}
}

// appendInline writes a value on one line.
func appendInline(dst []byte, n *node, depth int) []byte {
	switch {
	case n.kind == scalar:
		return appendScalar(dst, n.json)
	case depth >= maxInline || n.get(embedKey) != nil && len(n.entries) == 1:
		r := renderer{plain: true}
		r.value(n)
		return appendEmbedded(dst, string(r.json))
	case n.kind == array:
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendInline(dst, item, depth+1)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, e := range n.entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendKey(append(dst, ' '), e.key), " = "...)
		dst = appendInline(dst, e.value, depth+1)
	}
	if len(n.entries) > 0 {
		dst = append(dst, ' ')
	}
	return append(dst, '}')
}

// appendLong writes an array with a line for each element.
func appendLong(dst []byte, n *node) []byte {
	dst = append(dst, "[\n"...)
	for _, item := range n.items {
		dst = append(dst, "    "...)
		dst = append(appendInline(dst, item, 1), ",\n"...)
	}
	return append(dst, ']')
}

// appendScalar writes a JSON scalar, or any JSON that is too deep, as TOML.
func appendScalar(dst []byte, json string) []byte {
	switch c := json[0]; {
	case c == '"':
		text, _ := jsontext.AppendUnquote(nil, json)
		return appendText(dst, string(text))
	case c == 't' || c == 'f':
		return append(dst, json...)
	case c == '-' || c >= '0' && c <= '9':
		if isNumber(json) {
			return append(dst, json...)
		}
	}
	return appendEmbedded(dst, json)
}

// isNumber reports whether every reader of TOML takes a JSON number.
func isNumber(json string) bool {
	var err error
	if strings.ContainsAny(json, ".eE") {
		_, err = strconv.ParseFloat(json, 64)
	} else {
		_, err = strconv.ParseInt(json, 10, 64)
	}
	return err == nil
}

func appendEmbedded(dst []byte, json string) []byte {
	dst = append(appendKey(append(dst, "{ "...), embedKey), " = "...)
	return append(appendText(dst, json), " }"...)
}

func appendKey(dst []byte, key string) []byte {
	bare := key != "" && strings.IndexFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
	if bare {
		return append(dst, key...)
	}
	return appendText(dst, key)
}

// appendText writes a string: as it is where it can stand between single quotes
// and is easier to read so, else with escapes.
func appendText(dst []byte, s string) []byte {
	plain := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\'' }) < 0
	if plain && strings.ContainsAny(s, `"\`) {
		return append(append(append(dst, '\''), s...), '\'')
	}
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r < ' ' || r == 0x7f:
			dst = fmt.Appendf(dst, `\u%04X`, r)
		default:
			dst = append(dst, string(r)...)
		}
	}
	return append(dst, '"')
}
