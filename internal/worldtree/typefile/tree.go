package typefile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxDepth is how deep a key or a value may be nested: far deeper than types
// may be, and shallow enough to walk.
const maxDepth = 64

// nodeKind says what a node is.
type nodeKind uint8

const (
	scalar nodeKind = iota
	table
	array
)

// node is a value of a file: the common ground of TOML and JSON, in the order
// in which it is written.
type node struct {
	kind     nodeKind
	offset   int    // in the file
	json     string // scalar: as JSON writes it
	entries  []*entry
	index    map[string]*entry
	items    []*node
	comments comments // of a table's header, of an array's element
}

// entry is a key of a table and its value.
type entry struct {
	key      string
	value    *node
	comments comments
}

// fault is something wrong at an offset of the file.
type fault struct {
	offset int
	reason string
}

func faultf(offset int, format string, args ...any) *fault {
	return &fault{offset, fmt.Sprintf(format, args...)}
}

func (n *node) get(key string) *entry { return n.index[key] }

func (n *node) add(key string, value *node) *entry {
	e := &entry{key: key, value: value}
	n.entries = append(n.entries, e)
	if n.index == nil {
		n.index = make(map[string]*entry)
	}
	n.index[key] = e
	return e
}

// embedKey is the only key of a table that stands for JSON which TOML cannot
// say.
const embedKey = "$json"

// embedded returns the JSON that a node stands for, if it is such a table.
func (n *node) embedded() (raw []byte, ok bool, bad *fault) {
	if n.kind != table || len(n.entries) != 1 || n.entries[0].key != embedKey {
		return nil, false, nil
	}
	v := n.entries[0].value
	if v.kind != scalar || !strings.HasPrefix(v.json, `"`) {
		return nil, false, nil
	}
	text, _ := jsontext.AppendUnquote(nil, v.json)
	if !jsontext.Value(text).IsValid() {
		return nil, true, faultf(v.offset, "the string of %q is not valid JSON", embedKey)
	}
	return text, true, nil
}

// treeReader makes the tree of a file.
type treeReader struct {
	parser  unstable.Parser
	root    *node
	current *node    // the table that keys go to
	pending []remark // comments that wait for what they stand above
	begun   bool     // something other than comments has been read
}

// readTree reads a file's syntax. The error's file is not set.
func readTree(data []byte) (*node, *Error) {
	r := treeReader{root: &node{kind: table}}
	r.current = r.root
	r.parser.KeepComments = true
	r.parser.Reset(data)
	for r.parser.NextExpression() {
		if bad := r.expression(r.parser.Expression()); bad != nil {
			return nil, &Error{Line: lineAt(data, bad.offset), Reason: bad.reason}
		}
	}
	if err := r.parser.Error(); err != nil {
		return nil, syntaxError(data, &r.parser, err)
	}
	if err := checkRules(data); err != nil {
		return nil, err
	}
	r.root.comments.after = r.waiting(len(data))
	return r.root, nil
}

func syntaxError(data []byte, p *unstable.Parser, err error) *Error {
	e := &Error{Line: lineAt(data, len(data)), Reason: err.Error()}
	var bad *unstable.ParserError
	if errors.As(err, &bad) {
		e.Reason = bad.Message
		if len(bad.Highlight) > 0 {
			e.Line = lineAt(data, int(p.Range(bad.Highlight).Offset))
		}
	}
	if mark := conflictMarker(data, e.Line); mark != "" {
		e.Reason = fmt.Sprintf("a merge has left its marker %s here; decide between the two sides", mark)
	}
	return e
}

// conflictMarker returns the merge's marker that a line is, or "".
func conflictMarker(data []byte, line int) string {
	for range line - 1 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	for _, mark := range []string{markOurs, markBase, markMiddle, markTheirs} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return mark
		}
	}
	return ""
}

func (r *treeReader) expression(e *unstable.Node) *fault {
	switch e.Kind {
	case unstable.Comment:
		r.pending = append(r.pending, remarkOf(e))
		return nil
	case unstable.Table, unstable.ArrayTable:
		return r.header(e)
	}
	trail := ""
	if next := e.Next(); next.Valid() && next.Kind == unstable.Comment {
		trail = remarkOf(next).text
	}
	added, bad := r.keyValue(r.current, e, 0)
	if bad == nil {
		r.attach(&added.comments, int(e.Raw.Offset), trail)
	}
	return bad
}

// header enters the table of a line [a.b] or [[a.b]].
func (r *treeReader) header(e *unstable.Node) *fault {
	keys, offset, bad := keysOf(e)
	if bad != nil {
		return bad
	}
	trail := ""
	if next := e.Next(); next.Valid() && next.Kind == unstable.Comment {
		trail = remarkOf(next).text
	}
	above, bad := descend(r.root, keys[:len(keys)-1], offset)
	if bad != nil {
		return bad
	}
	last := keys[len(keys)-1]
	found := above.get(last)
	if e.Kind == unstable.ArrayTable {
		if found == nil {
			found = above.add(last, &node{kind: array, offset: offset})
		}
		if found.value.kind != array {
			return faultf(offset, "%s is no array of tables", strconv.Quote(last))
		}
		r.current = &node{kind: table, offset: offset}
		found.value.items = append(found.value.items, r.current)
	} else {
		if r.current, bad = descend(above, keys[len(keys)-1:], offset); bad != nil {
			return bad
		}
		r.current.offset = offset
	}
	r.attach(&r.current.comments, offset, trail)
	return nil
}

// keysOf returns the parts of a key, and where it stands.
func keysOf(e *unstable.Node) (keys []string, offset int, bad *fault) {
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if len(keys) == 0 {
			offset = int(n.Raw.Offset)
		}
		if keys = append(keys, string(n.Data)); len(keys) > maxDepth {
			return nil, 0, faultf(offset, "the key has more than %d parts", maxDepth)
		}
	}
	return keys, offset, nil
}

// descend goes down to a table, which is made where it is not there yet. Of an
// array of tables the last is meant.
func descend(n *node, keys []string, offset int) (*node, *fault) {
	for _, key := range keys {
		found := n.get(key)
		if found == nil {
			found = n.add(key, &node{kind: table, offset: offset})
		}
		n = found.value
		if n.kind == array && len(n.items) > 0 {
			n = n.items[len(n.items)-1]
		}
		if n.kind != table {
			return nil, faultf(offset, "%s is no table", strconv.Quote(key))
		}
	}
	return n, nil
}

// keyValue adds what a line key = value says to a table.
func (r *treeReader) keyValue(to *node, e *unstable.Node, depth int) (*entry, *fault) {
	keys, offset, bad := keysOf(e)
	if bad != nil {
		return nil, bad
	}
	if to, bad = descend(to, keys[:len(keys)-1], offset); bad != nil {
		return nil, bad
	}
	last := keys[len(keys)-1]
	if to.get(last) != nil {
		return nil, faultf(offset, "the key %s stands twice in one table", strconv.Quote(last))
	}
	value, bad := r.value(e.Value(), offset, depth+1)
	if bad != nil {
		return nil, bad
	}
	return to.add(last, value), nil
}

// value makes the node of a value whose key stands at offset.
func (r *treeReader) value(v *unstable.Node, offset, depth int) (*node, *fault) {
	if depth > maxDepth {
		return nil, faultf(offset, "the value is nested more than %d deep", maxDepth)
	}
	if v.Raw.Length > 0 {
		offset = int(v.Raw.Offset)
	}
	n := &node{offset: offset}
	switch v.Kind {
	case unstable.Array:
		n.kind = array
		return n, r.children(v, func(child *unstable.Node) (*comments, *fault) {
			item, bad := r.value(child, offset, depth+1)
			if bad != nil {
				return nil, bad
			}
			n.items = append(n.items, item)
			return &item.comments, nil
		}, n)
	case unstable.InlineTable:
		n.kind = table
		return n, r.children(v, func(child *unstable.Node) (*comments, *fault) {
			added, bad := r.keyValue(n, child, depth)
			if bad != nil {
				return nil, bad
			}
			return &added.comments, nil
		}, n)
	}
	var bad *fault
	n.json, bad = scalarJSON(v, offset)
	return n, bad
}

// children adds what stands in an array or inline table, and its comments to
// what they stand above or behind; the last ones to the whole.
func (r *treeReader) children(v *unstable.Node, add func(*unstable.Node) (*comments, *fault), whole *node) *fault {
	var waiting []string
	var last *comments
	remark := func(n *unstable.Node) {
		c := remarkOf(n)
		if last != nil && last.trail == "" && r.behindSomething(c) {
			last.trail = c.text
		} else {
			waiting = append(waiting, c.text)
		}
	}
	for it := v.Children(); it.Next(); {
		child := it.Node()
		if child.Kind != unstable.Comment {
			c, bad := add(child)
			if bad != nil {
				return bad
			}
			c.above, waiting, last = append(waiting, c.above...), nil, c
			continue
		}
		remark(child)
		for more := child.Children(); more.Next(); {
			remark(more.Node())
		}
	}
	whole.comments.above = append(whole.comments.above, waiting...)
	return nil
}

// scalarJSON writes a single value as JSON.
func scalarJSON(v *unstable.Node, offset int) (string, *fault) {
	text := string(v.Data)
	switch v.Kind {
	case unstable.Bool:
		return text, nil
	case unstable.Integer:
		return integerJSON(text, offset)
	case unstable.Float:
		return floatJSON(text), nil
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return "", faultf(offset, "the string is not UTF-8")
	}
	return string(quoted), nil
}

func integerJSON(text string, offset int) (string, *fault) {
	digits := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	if len(digits) < 3 || digits[0] != '0' {
		return digits, nil
	}
	u, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		return "", faultf(offset, "the integer %s is beyond 64 bits", text)
	}
	return strconv.FormatUint(u, 10), nil
}

// floatJSON spells infinities and NaN as the interchange form does.
func floatJSON(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	switch text {
	case "inf", "-inf", "nan":
		return `"` + text + `"`
	case "-nan":
		return `"nan"`
	}
	return text
}

func appendQuoted(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
