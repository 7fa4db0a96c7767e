package jsonmerge

import "github.com/go-json-experiment/json/jsontext"

// part is a piece of the result: a value as it stands in a document, or an object or
// array put together of parts.
type part struct {
	doc  *document
	node *node
	made *made

	value, exact int32 // as a node's
}

// made is an object or array that is as neither side has it.
type made struct {
	ours, theirs *node
	items        []item
	notes        *notes // nil where none of the three has comments between its items
}

// item is a part and its places in the base and the two sides, -1 where it has none.
type item struct {
	part
	base, ours, theirs int
}

func (m *merger) takeOurs(n *node) part {
	return part{doc: m.ours, node: n, value: n.value, exact: n.exact}
}

func (m *merger) takeTheirs(n *node) part {
	return part{doc: m.theirs, node: n, value: n.value, exact: n.exact}
}

func (m *merger) preferred(o, t *node) part {
	if m.prefer == Theirs {
		return m.takeTheirs(t)
	}
	return m.takeOurs(o)
}

// merge merges a value that both sides have. b is nil where the base has none.
func (m *merger) merge(b, o, t *node) part {
	if o.exact == t.exact {
		if b == nil || b.exact != o.exact {
			m.report.Both++
		}
		return m.takeOurs(o)
	}
	if o.value == t.value && (o.noted || t.noted) {
		return m.alike(b, o, t)
	}
	if p, ok := m.byRule(b, o, t); ok {
		return p
	}
	switch {
	case m.isVector(b, o, t):
		return m.vector(b, o, t)
	case both(o, t, jsontext.KindBeginObject):
		return m.object(b, o, t)
	case both(o, t, jsontext.KindBeginArray):
		if p, ok := m.array(b, o, t); ok {
			return p
		}
	}
	return m.whole(b, o, t)
}

func both(o, t *node, kind jsontext.Kind) bool { return o.kind == kind && t.kind == kind }

// ofKind returns the base if it can be one: two objects have none in an array.
func ofKind(b *node, kind jsontext.Kind) *node {
	if b == nil || b.kind != kind {
		return nil
	}
	return b
}

// whole merges two values that differ and are not looked into. A value weighs more
// than a spelling: a side that changed only that gives way to one that changed the value.
func (m *merger) whole(b, o, t *node) part {
	p := m.decide(b, o, t)
	m.commentsLost(p, b, o, t)
	return p
}

func (m *merger) decide(b, o, t *node) part {
	switch {
	case b != nil && (t.exact == b.exact || t.value == b.value && o.value != b.value):
		m.report.Ours++
		return m.takeOurs(o)
	case b != nil && (o.exact == b.exact || o.value == b.value && t.value != b.value):
		m.report.Theirs++
		return m.takeTheirs(t)
	case o.value == t.value:
		m.report.Both++
	case b == nil:
		m.disagree(Created, b, o, t)
	case typeOf(b) != typeOf(o) || typeOf(b) != typeOf(t):
		m.disagree(Type, b, o, t)
	default:
		m.disagree(Changed, b, o, t)
	}
	return m.preferred(o, t)
}

// typeOf returns a value's kind; true and false are of one type.
func typeOf(n *node) jsontext.Kind {
	if n.kind == jsontext.KindFalse {
		return jsontext.KindTrue
	}
	return n.kind
}

// finish makes a part of an object's or array's items. Where the result is what a
// side has, it is taken as it stands there: ours always, theirs if ours had left it
// alone to the byte and it fits in.
func (m *merger) finish(b, o, t *node, items []item) part {
	p := part{made: &made{ours: o, theirs: t, items: items}}
	m.mergeNotes(p.made, b)
	p.value, p.exact = m.numbers(p.made)
	switch {
	case p.exact == o.exact:
		return m.takeOurs(o)
	case p.exact == t.exact && b != nil && o.bare == t.bare && m.theirs.style.alike(m.ours.style) && string(m.base.raw(b)) == string(m.ours.raw(o)):
		return m.takeTheirs(t)
	}
	return p
}

// numbers numbers a made object or array.
func (m *merger) numbers(c *made) (value, exact int32) {
	n := len(c.items)
	noted := m.table.notedItems(n, c.notes, func(i int) int32 { return c.items[i].exact })
	if c.ours.kind == jsontext.KindBeginArray {
		value = m.table.array(n, func(i int) int32 { return c.items[i].value })
		exact = m.table.array(n, noted)
	} else {
		value = m.table.object(n, func(i int) (int32, int32) { return c.nameID(i), c.items[i].value })
		exact = m.table.object(n, func(i int) (int32, int32) { return c.nameID(i), noted(i) })
	}
	return value, m.table.headed(exact, c.notes)
}

func (c *made) nameID(i int) int32 {
	if at := c.items[i].ours; at >= 0 {
		return c.ours.inside.names[at].id
	}
	return c.theirs.inside.names[c.items[i].theirs].id
}
