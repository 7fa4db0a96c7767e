package jsonmerge

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// mark finds the values that have rules, and keeps what is to be told about these.
func (m *merger) mark(rules *Rules) {
	if rules == nil {
		return
	}
	m.rules = newMarker(rules, m.table)
	for _, d := range []*document{m.base, m.ours, m.theirs} {
		m.rules.mark(d)
	}
	m.report.Remarks = m.rules.told()
}

// byRule merges two values that differ as their rule says. It returns false if they
// have none, or are not such as it is for.
func (m *merger) byRule(b, o, t *node) (part, bool) {
	if o.rule == 0 || o.kind != t.kind && m.rules.rules.list[o.rule-1].way != asValue {
		return part{}, false
	}
	r := &m.rules.rules.list[o.rule-1]
	switch {
	case r.way == asValue:
		return m.value(b, o, t), true
	case r.way == asMembers && o.kind == jsontext.KindBeginObject:
		return m.object(b, o, t), true
	case r.way == asMembers || o.kind != jsontext.KindBeginArray:
		return part{}, false
	}
	b = ofKind(b, jsontext.KindBeginArray)
	switch {
	case r.way == byID:
		return m.byIdentity(m.rules.ids[o.rule-1], b, o, t), true
	case r.way == asSet:
		return m.set(b, o, t), true
	case b == nil:
		return m.whole(b, o, t), true
	case r.way == asList:
		return m.sequence(b, o, t), true
	}
	return m.tiles(b, o, t, r.width), true
}

// value merges two values as one.
func (m *merger) value(b, o, t *node) part {
	p := m.whole(b, o, t)
	if p.doc != m.theirs || o.bare == t.bare {
		return p
	}
	// A document of theirs comes into ours, and one of the two has no braces.
	before, names := byName(ofKind(b, jsontext.KindBeginObject)), byName(o)
	var items []item
	for i, name := range t.inside.names {
		_, base := before.get(name.id)
		_, ours := names.get(name.id)
		items = append(items, item{part: m.takeTheirs(&t.inside.items[i]), base: base, ours: ours, theirs: i})
	}
	return m.finish(b, o, t, items)
}

// set merges arrays in which the order means nothing.
func (m *merger) set(b, o, t *node) part {
	k := keyedMerge{merger: m, b: m.elements(b), o: m.elements(o), t: m.elements(t)}
	first, second := k.o.keys, k.t.keys
	if m.prefer == Theirs {
		first, second = second, first
	}
	order, _ := sequence.Order(k.b.keys, first, second, k.stays)
	return k.put(order)
}

// elements returns an array by what its elements are. One that stands in it again has
// a key of its own.
func (m *merger) elements(n *node) keyed {
	k := keyed{node: n}
	times := make(map[int32]int32)
	for i := range n.items() {
		v := n.inside.items[i].value
		key := v
		if times[v] > 0 {
			key = m.table.again(v, times[v])
		}
		times[v]++
		k.add(key)
	}
	return k
}

// tiles merges a grid place by place. Where a side changed its size, that side's
// stands if the other left it alone.
func (m *merger) tiles(b, o, t *node, width int) part {
	n := len(o.items())
	switch {
	case len(b.items()) == n && len(t.items()) == n:
	case o.value == b.value || t.value == b.value || o.value == t.value:
		return m.whole(b, o, t)
	default:
		m.disagree(Size, b, o, t)
		return m.preferred(o, t)
	}
	items := make([]item, 0, n)
	for i := range n {
		it := item{base: i, ours: i, theirs: i}
		m.in(step{index: i, width: width}, func() {
			it.part = m.tile(&b.inside.items[i], &o.inside.items[i], &t.inside.items[i])
		})
		items = append(items, it)
	}
	return m.finish(b, o, t, items)
}

// tile merges what stands in one place of a grid: a row is a grid, too.
func (m *merger) tile(b, o, t *node) part {
	array := jsontext.KindBeginArray
	if o.exact != t.exact && o.rule == 0 && b.kind == array && o.kind == array && t.kind == array {
		return m.tiles(b, o, t, 0)
	}
	return m.merge(b, o, t)
}
