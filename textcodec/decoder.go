package textcodec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// decoder holds what is needed while one text is read. It is used again and
// again, so that reading costs no memory but what the entity takes.
//
// While a text is read, lists and texts are kept in done and bytes; a string,
// blob or matrix Value holds the number of its span instead of its text. At the end
// take copies all of it into memory of exactly the right size.
type decoder struct {
	cursor
	id    entity.ID
	types *entity.Types

	values []entity.Value // the entity's own, by field
	given  []int          // the line on which each field was given, 0 where it was not
	stack  []entity.Value // items of the lists that are open
	marks  []int          // the line on which each member of the open structs was given
	done   []entity.Value // items of the lists that are closed
	spans  []span         // of bytes, one for each string, blob and matrix
	bytes  []byte
	path   []string // the field being read, and the members within it

	unknown   []entity.Raw
	starts    []fieldStart
	conflicts []conflictStart
	findings  []entity.Finding
	reported  map[report]bool

	brackets []byte // the raw lines' open brackets
	scratch  []byte

	loose bool // the tolerant way was taken

	slab  []entity.Value // what is left of the entity's own memory
	texts string         // the entity's own texts
}

type span struct{ from, to int }

// fieldStart is where a field begins in the file.
type fieldStart struct {
	line int
	name string
}

// report is what a finding is told by: of several alike the first stands.
type report struct{ code, field string }

// keepLimit is the capacity up to which a decoder's memory is kept for the
// next text.
const keepLimit = 1 << 12

// release lets go of everything that belongs to the text just read.
func (d *decoder) release() {
	if cap(d.done) > keepLimit || cap(d.stack) > keepLimit || cap(d.bytes)+cap(d.scratch) > 64*keepLimit ||
		cap(d.spans)+cap(d.starts)+cap(d.marks)+cap(d.brackets) > keepLimit {
		return
	}
	d.reset()
	d.id, d.types = 0, nil
	decoders.Put(d)
}

// reset forgets everything but the ID and the types. The values that stay
// behind in stack and done refer to nothing but done and types' defaults, so
// they are not worth the time to clear. What only the tolerant way uses is left
// alone where it was not taken.
func (d *decoder) reset() {
	d.stack, d.done, d.spans, d.bytes = d.stack[:0], d.done[:0], d.spans[:0], d.bytes[:0]
	d.values, d.slab, d.texts = nil, nil, ""
	d.cursor = cursor{}
	if len(d.findings) == 0 && !d.loose {
		return
	}
	clear(d.starts)
	d.loose = false
	d.marks, d.path, d.starts = d.marks[:0], d.path[:0], d.starts[:0]
	d.unknown, d.conflicts, d.findings, d.reported = nil, nil, nil, nil
}

// fail returns an error about the current line, or the last at the end.
func (d *decoder) fail(format string, args ...any) error {
	return d.failAt(d.number, format, args...)
}

func (d *decoder) failAt(number int, format string, args ...any) error {
	return &Error{Line: d.fileLine(number), Field: d.field(), Reason: fmt.Sprintf(format, args...) + d.besides(), Marked: len(d.conflicts) > 0}
}

// besides says that there is a conflict in a text which cannot be read, as of a
// merge with one that could not: that is to be mended first.
func (d *decoder) besides() string {
	if len(d.conflicts) == 0 {
		return ""
	}
	return fmt.Sprintf(" (there is a conflict, too, which begins on line %d: mend that first)", d.conflicts[0].line)
}

// truncated returns the error for a text that ends where more must come.
func (d *decoder) truncated(format string, args ...any) error {
	reason := ErrTruncated.Error() + ": " + fmt.Sprintf(format, args...) + d.besides()
	return &Error{Line: max(1, d.fileLine(d.number)), Field: d.field(), Reason: reason, Marked: len(d.conflicts) > 0, mark: ErrTruncated}
}

// field names the field being read.
func (d *decoder) field() string { return strings.Join(d.path, ".") }

// find reports a finding about a line of the text; 0 is none in particular.
func (d *decoder) find(code string, number int, field, format string, args ...any) {
	key := report{code, field}
	if len(d.findings) >= maxFindings || d.reported[key] {
		return
	}
	if d.reported == nil {
		d.reported = make(map[report]bool)
	}
	d.reported[key] = true
	d.findings = append(d.findings, entity.Finding{
		Code: code, Blocks: entity.Blocks(code), Line: d.fileLine(number), Field: field, Message: fmt.Sprintf(format, args...),
	})
}

// textOf returns the bytes of a string or blob while the text is read.
func (d *decoder) textOf(v *entity.Value) []byte {
	s := d.spans[v.Uint()-1]
	return d.bytes[s.from:s.to]
}

// setText makes v the string, blob, expression or matrix that d.bytes has from there on.
func (d *decoder) setText(v *entity.Value, kind entity.Kind, from int) {
	d.spans = append(d.spans, span{from, len(d.bytes)})
	*v = entity.NewUint(kind, uint64(len(d.spans)))
}

// isSpan reports whether v is a string, blob, expression or matrix as it is while the text
// is read. A real one, such as a default, has no number.
func isSpan(v *entity.Value) bool {
	k := v.Kind()
	return (k == entity.KindString || k == entity.KindBlob || k == entity.KindExpr || k.IsMatrix()) && v.Uint() != 0
}

// compare orders values as Value.Compare does, while the text is read.
func (d *decoder) compare(a, b entity.Value) int {
	if isSpan(&a) && isSpan(&b) {
		return bytes.Compare(d.textOf(&a), d.textOf(&b))
	}
	return a.Compare(b)
}

// push adds n nulls to the open items and returns where they begin.
func (d *decoder) push(n int) int {
	base := len(d.stack)
	d.stack = slices.Grow(d.stack, n)[:base+n]
	clear(d.stack[base:])
	return base
}

// pop takes the open items from base on off the stack and keeps them. Those
// kept before may stay behind in memory that d.done has outgrown.
func (d *decoder) pop(base int) []entity.Value {
	start := len(d.done)
	d.done = append(d.done, d.stack[base:]...)
	d.stack = d.stack[:base]
	return d.done[start:len(d.done):len(d.done)]
}

// inOrder reports whether items are in order and none of them twice.
func (d *decoder) inOrder(items []entity.Value) bool {
	for i := 1; i < len(items); i++ {
		a, b := &items[i-1], &items[i]
		if a.Kind() == entity.KindRef && b.Kind() == entity.KindRef { // most sets are of refs
			if a.Uint() >= b.Uint() {
				return false
			}
		} else if d.compare(*a, *b) >= 0 {
			return false
		}
	}
	return true
}

// twice returns an item that stands twice among the members key of items.
func (d *decoder) twice(items []entity.Value, key int) (entity.Value, bool) {
	base := len(d.stack)
	for i := range items {
		if !items[i].IsNull() {
			d.stack = append(d.stack, items[i].Items()[key])
		}
	}
	keys := d.stack[base:]
	d.stack = d.stack[:base]
	if !d.inOrder(keys) {
		slices.SortFunc(keys, d.compare)
	}
	for i := 1; i < len(keys); i++ {
		if d.compare(keys[i-1], keys[i]) == 0 {
			return keys[i], true
		}
	}
	return entity.Value{}, false
}

// take makes the entity of what was read, in memory of its own.
func (d *decoder) take(l *entity.Layout) *entity.Entity {
	e := &entity.Entity{ID: d.id, Layout: l}
	if len(d.unknown) > 0 {
		e.Unknown = slices.Clone(d.unknown)
	}
	d.texts = string(d.bytes)
	if len(d.done) > 0 {
		d.slab = make([]entity.Value, len(d.done))
	}
	e.Values = d.values
	d.takeEach(e.Values)
	return e
}

// takeItems returns items in memory of the entity's own.
func (d *decoder) takeItems(items []entity.Value) []entity.Value {
	n := len(items)
	if n > len(d.slab) { // defaults have items that were not read
		d.slab = make([]entity.Value, n)
	}
	own := d.slab[:n:n]
	d.slab = d.slab[n:]
	copy(own, items)
	d.takeEach(own)
	return own
}

// takeEach makes the entity's own what the values hold.
func (d *decoder) takeEach(values []entity.Value) {
	for i := range values {
		switch v := &values[i]; v.Kind() {
		case entity.KindString, entity.KindBlob, entity.KindExpr, entity.KindMat3x4, entity.KindMat4:
			d.takeText(v)
		case entity.KindSet, entity.KindArray:
			*v = entity.NewList(v.Kind(), d.takeItems(v.Items()))
		case entity.KindStruct:
			*v = entity.NewStruct(d.takeItems(v.Items()))
		}
	}
}

func (d *decoder) takeText(v *entity.Value) {
	if !isSpan(v) {
		return
	}
	s := d.spans[v.Uint()-1]
	switch text := d.texts[s.from:s.to]; v.Kind() {
	case entity.KindString:
		*v = entity.NewString(text)
	case entity.KindBlob:
		*v = entity.NewBlob(text)
	case entity.KindExpr:
		*v = entity.NewExpr(text)
	default:
		*v = entity.NewMatrix(v.Kind(), text)
	}
}
