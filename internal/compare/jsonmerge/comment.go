package jsonmerge

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// comment is a comment in a document.
type comment struct {
	text          []byte
	id            int32 // the number of what it says, in the table
	from, to      int32
	before, after uint8 // how many lines end between it and its neighbours in the gap
}

// line reports whether a comment reaches to the end of its line.
func (c *comment) line() bool { return c.text[1] == '/' }

// around are the comments that belong to an item.
type around struct {
	lead  []comment // in front of it
	mid   []comment // between a member's name and its value
	trail []comment // behind it, in the same line
}

func (a around) none() bool { return len(a.lead)+len(a.mid)+len(a.trail) == 0 }

// notes are the comments that stand between the items of an object or array. Each
// belongs to the item behind it, or to the one before it if it stands in that one's
// line and no other item follows there.
type notes struct {
	head  []comment // in the line of the opening bracket; a document's heading
	tail  []comment // before the closing bracket
	items []around
}

// of returns an item's comments. The notes may be nil, and i may be -1.
func (c *notes) of(i int) around {
	if c == nil || i < 0 {
		return around{}
	}
	return c.items[i]
}

// ends returns the head and the tail. The notes may be nil.
func (c *notes) ends() (head, tail []comment) {
	if c == nil {
		return nil, nil
	}
	return c.head, c.tail
}

// none reports whether there are no comments.
func (c *notes) none() bool {
	return c == nil || len(c.head)+len(c.tail) == 0 && !slices.ContainsFunc(c.items, func(a around) bool { return !a.none() })
}

// addComment adds one that stands here. They come in their order, and some twice.
func (d *document) addComment(from, to int) error {
	if n := len(d.comments); n > 0 && int(d.comments[n-1].from) >= from {
		return nil
	}
	c := comment{text: d.text[from:to], from: int32(from), to: int32(to)}
	if !closed(c.text) {
		return errorAt(d, from, "", "a comment is not closed: */ is missing")
	}
	d.comments = append(d.comments, c)
	return nil
}

// within returns the comments between two places, and counts the lines that end
// between them.
func (d *document) within(from, to int32, t *table) []comment {
	at := func(place int32) int {
		return sort.Search(len(d.comments), func(i int) bool { return d.comments[i].from >= place })
	}
	list := d.comments[at(from):at(to)]
	for i := range list {
		c := &list[i]
		c.id = t.comment(c.text)
		c.before = lineEnds(d.text[from:c.from])
		next := to
		if i+1 < len(list) {
			next = list[i+1].from
		}
		c.after = lineEnds(d.text[c.to:next])
		from = c.to
	}
	return list
}

// maxLineEnds is how many line ends beside a comment are kept where it is laid out anew.
const maxLineEnds = 3

func lineEnds(gap []byte) uint8 { return uint8(min(bytes.Count(gap, []byte("\n")), maxLineEnds)) }

// findNotes finds the comments of an object or array.
func (d *document) findNotes(n *node, t *table) {
	in := n.inside
	for i := range in.items {
		n.noted = n.noted || in.items[i].noted
	}
	if len(d.comments) == 0 {
		return
	}
	found := &notes{items: make([]around, len(in.items))}
	for i := range len(in.items) + 1 {
		from, to := n.gapSpan(i)
		if list := d.within(from, to, t); len(list) > 0 {
			found.put(i, n.bare, list, belongBefore(d, list, from, to, n.bare && i == 0, i == len(in.items) && i > 0))
		}
		if i < len(in.names) {
			found.items[i].mid = d.within(in.names[i].to, in.items[i].from, t)
		}
	}
	if !found.none() {
		in.notes, n.noted = found, true
	}
}

// put puts the comments of a gap where they belong: the first so many to what stands
// before it.
func (c *notes) put(i int, bare bool, list []comment, first int) {
	before, behind := list[:first:first], list[first:]
	if i == 0 {
		c.head = before
	} else {
		c.items[i-1].trail = before
	}
	if i < len(c.items) {
		c.items[i].lead = behind
	} else {
		c.tail = behind
		c.settle(bare)
	}
}

// settle makes all comments of a document with nothing in it, not even braces, its
// heading.
func (c *notes) settle(bare bool) {
	if bare && len(c.items) == 0 {
		c.head, c.tail = slices.Concat(c.head, c.tail), nil
	}
}

// belongBefore returns how many of a gap's comments belong to what stands before it. In a
// heading these are those with an empty line behind them.
func belongBefore(d *document, list []comment, from, to int32, heading, last bool) int {
	if heading {
		n := len(list)
		for n > 0 && list[n-1].after < 2 {
			n--
		}
		return n
	}
	comma := int32(-1)
	n := 0
	for i := range list {
		c := &list[i]
		if at := bytes.IndexByte(d.text[from:c.from], ','); at >= 0 {
			comma = from + int32(at)
		}
		if c.before > 0 {
			return n
		}
		from = c.to
		if c.after > 0 {
			return i + 1
		}
		if last || comma < 0 && bytes.IndexByte(d.text[c.to:nextFrom(list, i, to)], ',') >= 0 {
			n = i + 1 // no item or a comma follows in the same line
		}
	}
	return n
}

func nextFrom(list []comment, i int, to int32) int32 {
	if i+1 < len(list) {
		return list[i+1].from
	}
	return to
}

// findAround finds the comments around the root.
func (d *document) findAround(t *table) {
	d.exact = d.root.exact
	if len(d.comments) == 0 || d.root.bare {
		return
	}
	d.around.lead = d.within(0, d.root.from, t)
	d.around.trail = d.within(d.root.to, int32(len(d.text)), t)
	d.exact = t.noted(d.exact, d.around)
}

// like has the comments around the root where another document would have them: with
// braces there are such, without them there is a heading and an end.
func (d *document) like(o *document, t *table) {
	if d == nil || d.root.bare == o.root.bare || len(d.comments) == 0 || d.root.kind != jsontext.KindBeginObject {
		return
	}
	in := d.root.inside
	if in.notes == nil {
		in.notes = &notes{items: make([]around, len(in.items))}
	}
	if o.root.bare {
		in.notes.head = slices.Concat(d.around.lead, in.notes.head)
		in.notes.tail = slices.Concat(in.notes.tail, d.around.trail)
		d.around = around{}
		in.notes.settle(true)
	} else {
		d.around.lead, in.notes.head = in.notes.head, nil
	}
	t.container(&d.root)
	d.exact = t.noted(d.root.exact, d.around)
}

// comment numbers a comment by what it says: how it is indented means nothing.
func (t *table) comment(text []byte) int32 {
	t.start(keyComment)
	for line := range bytes.Lines(text) {
		t.key = append(append(t.key, bytes.TrimSpace(line)...), '\n')
	}
	return t.id()
}

// noted numbers a value together with the comments around it.
func (t *table) noted(exact int32, a around) int32 {
	if a.none() {
		return exact
	}
	return t.together(exact, a.lead, a.mid, a.trail)
}

// notedItems returns the numbers of items together with the comments around them.
func (t *table) notedItems(n int, c *notes, exact func(i int) int32) func(i int) int32 {
	if c == nil {
		return exact
	}
	out := make([]int32, n)
	for i := range out {
		out[i] = t.noted(exact(i), c.items[i])
	}
	return func(i int) int32 { return out[i] }
}

// headed numbers an object or array together with the comments at its ends.
func (t *table) headed(exact int32, c *notes) int32 {
	if c == nil || len(c.head)+len(c.tail) == 0 {
		return exact
	}
	return t.together(exact, c.head, c.tail)
}

func (t *table) together(exact int32, lists ...[]comment) int32 {
	t.start(keyNoted)
	t.key = binary.LittleEndian.AppendUint32(t.key, uint32(exact))
	for _, list := range lists {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(len(list)))
		for i := range list {
			t.key = binary.LittleEndian.AppendUint32(t.key, uint32(list[i].id))
		}
	}
	return t.id()
}

func commentIDs(list []comment) []int32 {
	out := make([]int32, len(list))
	for i := range list {
		out[i] = list[i].id
	}
	return out
}

func sameComments(a, b []comment) bool {
	return slices.EqualFunc(a, b, func(a, b comment) bool { return a.id == b.id })
}

// blank returns a gap without its comments, as if they had never been there: of a line
// that held nothing else nothing is left.
func (d *document) blank(n *node, i int) []byte {
	if n.notes() == nil {
		return d.gap(n, i)
	}
	from, to := n.gapSpan(i)
	return d.blankSpan(from, to, i == len(n.inside.items))
}

func (d *document) blankSpan(from, to int32, last bool) []byte {
	first := sort.Search(len(d.comments), func(i int) bool { return d.comments[i].from >= from })
	var out []byte
	at := from
	for i := first; i < len(d.comments) && d.comments[i].from < to; i++ {
		out = d.appendSpace(out, at, d.comments[i].from, i > first, false)
		at = d.comments[i].to
	}
	return d.appendSpace(out, at, to, at > from, last)
}

// appendSpace appends white space to what is left of a gap so far. behind tells that a
// comment stood between the two, last that no item follows.
func (d *document) appendSpace(out []byte, from, to int32, behind, last bool) []byte {
	space := d.text[from:to]
	if !behind {
		return append(out, space...)
	}
	trimmed := bytes.TrimLeft(space, " \t\r")
	switch {
	case len(trimmed) > 0 && trimmed[0] == '\n':
		out = bytes.TrimRight(out, " \t")
		if n := len(out); n > 0 && out[n-1] == '\n' {
			out = bytes.TrimSuffix(out[:n-1], []byte("\r"))
		} else if n == 0 && from <= d.first {
			return append(out, trimmed[1:]...)
		}
		return append(out, space...)
	case len(trimmed) == 0 && !last:
		return out
	case bytes.IndexByte(out, '\n') < 0:
		out = bytes.TrimRight(out, " \t")
	}
	if last {
		return append(out, space...)
	}
	return append(out, trimmed...)
}
