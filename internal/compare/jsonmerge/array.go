package jsonmerge

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// array merges two arrays. It returns false if it cannot: two arrays that have no
// IDs and no base are two values.
func (m *merger) array(b, o, t *node) (part, bool) {
	b = ofKind(b, jsontext.KindBeginArray)
	if p, ok := m.keyedArray(b, o, t); ok {
		return p, true
	}
	switch {
	case b == nil:
		return part{}, false
	case isGrid(b, o, t):
		return m.grid(b, o, t), true
	}
	return m.sequence(b, o, t), true
}

// isGrid reports whether an element is known by its place: the arrays have one length,
// and hold numbers, rows or what stands in them several times. Aligning these as a
// sequence takes one tile for another.
func isGrid(b, o, t *node) bool {
	n := len(b.items())
	if n != len(o.items()) || n != len(t.items()) {
		return false
	}
	texts := false
	for _, side := range []*node{b, o, t} {
		for i := range side.items() {
			switch side.items()[i].kind {
			case jsontext.KindBeginObject:
				return false
			case jsontext.KindString:
				texts = true
			}
		}
	}
	return !texts || !distinct(b) || !distinct(o) || !distinct(t)
}

// distinct reports whether no element of an array stands in it twice.
func distinct(n *node) bool {
	return allDiffer(len(n.items()), func(i int) int32 { return n.items()[i].value })
}

func allDiffer(n int, value func(i int) int32) bool {
	seen := make(map[int32]bool, n)
	for i := range n {
		if seen[value(i)] {
			return false
		}
		seen[value(i)] = true
	}
	return true
}

// grid merges arrays of one length place by place.
func (m *merger) grid(b, o, t *node) part {
	before := m.report
	items := make([]item, 0, len(b.items()))
	for i := range b.items() {
		items = m.appendMerged(items, sides{b, o, t}, place{b: i, o: i, t: i})
	}
	clash := len(m.report.Conflicts) > len(before.Conflicts)
	if clash && distinct(b) && distinct(o) && distinct(t) &&
		!allDiffer(len(items), func(i int) int32 { return items[i].value }) {
		// An order in which one would stand twice, and another be lost.
		m.report = before
		m.disagree(Order, b, o, t)
		return m.preferred(o, t)
	}
	return m.finish(b, o, t, items)
}

// sides is an array on all sides.
type sides struct{ b, o, t *node }

// place says where an element of the result is from, with -1 where it is not in one.
// Of a clash the elements stand in chunk instead.
type place struct {
	b, o, t int
	clash   *sequence.Chunk
}

// appendMerged appends the element of a place.
func (m *merger) appendMerged(items []item, s sides, p place) []item {
	it := item{base: p.b, ours: p.o, theirs: p.t}
	switch {
	case p.t < 0:
		it.part = m.takeOurs(&s.o.inside.items[p.o])
	case p.o < 0:
		it.part = m.takeTheirs(&s.t.inside.items[p.t])
	default:
		var b *node
		if p.b >= 0 {
			b = &s.b.inside.items[p.b]
		}
		m.in(step{index: len(items)}, func() {
			it.part = m.merge(b, &s.o.inside.items[p.o], &s.t.inside.items[p.t])
		})
	}
	return append(items, it)
}

// sequence merges arrays without IDs.
func (m *merger) sequence(b, o, t *node) part {
	s := sides{b, o, t}
	places := m.places(s)
	if distinct(b) && distinct(o) && distinct(t) {
		places = m.once(s, places)
	}
	var items []item
	for _, p := range places {
		if p.clash == nil {
			items = m.appendMerged(items, s, p)
		} else {
			items = m.appendClash(items, s, *p.clash)
		}
	}
	return m.finish(b, o, t, items)
}

// places lays out the result.
func (m *merger) places(s sides) []place {
	ours := alignSimilar(s.b, s.o)
	theirs := alignSimilar(s.b, s.t)
	chunks := sequence.Combine(len(s.b.items()), ours, theirs, func(o, t int) bool {
		return s.o.inside.items[o].value == s.t.inside.items[t].value
	})
	var out []place
	for i := range chunks {
		c := &chunks[i]
		m.count(c)
		paired := c.Ours.Len() == c.Theirs.Len() && c.Ours.Len() == c.Base.Len()
		switch {
		case paired:
			out = appendPlaces(out, c, c.Base.From, c.Ours.From, c.Theirs.From)
		case c.Origin == sequence.Both:
			out = appendPlaces(out, c, -1, c.Ours.From, c.Theirs.From)
		case c.Origin == sequence.Ours:
			out = appendPlaces(out, c, -1, c.Ours.From, -1)
		case c.Origin == sequence.Theirs:
			out = appendPlaces(out, c, -1, -1, c.Theirs.From)
		case c.Base.Len() == 0:
			out = m.bothInserted(out, c)
		default:
			out = append(out, place{clash: c})
		}
	}
	return out
}

// count counts a chunk of which no elements are merged.
func (m *merger) count(c *sequence.Chunk) {
	if c.Base.Len() == c.Ours.Len() && c.Base.Len() == c.Theirs.Len() {
		return
	}
	inserted := c.Base.Len() == 0
	if c.Origin == sequence.Ours || c.Origin == sequence.Conflict && inserted {
		m.report.Ours++
	}
	if c.Origin == sequence.Theirs || c.Origin == sequence.Conflict && inserted {
		m.report.Theirs++
	}
	if c.Origin == sequence.Both && c.Ours.Len() == 0 {
		m.report.Both++
	}
}

// appendPlaces appends the elements of a chunk, from these indices on; -1 for a side
// that they are not from.
func appendPlaces(out []place, c *sequence.Chunk, b, o, t int) []place {
	n := c.Ours.Len()
	if o < 0 {
		n = c.Theirs.Len()
	}
	after := func(from, i int) int {
		if from < 0 {
			return -1
		}
		return from + i
	}
	for i := range n {
		out = append(out, place{b: after(b, i), o: after(o, i), t: after(t, i)})
	}
	return out
}

// bothInserted keeps what each side inserted at one place.
func (m *merger) bothInserted(out []place, c *sequence.Chunk) []place {
	if m.prefer == Theirs {
		out = appendPlaces(out, c, -1, -1, c.Theirs.From)
		return appendPlaces(out, c, -1, c.Ours.From, -1)
	}
	out = appendPlaces(out, c, -1, c.Ours.From, -1)
	return appendPlaces(out, c, -1, -1, c.Theirs.From)
}

// once takes out what would stand twice because each side put it at another place:
// the preferred side's is its place.
func (m *merger) once(s sides, places []place) []place {
	seen := make(map[int32]int) // value: index in places
	drop := make(map[int]bool)
	for i, p := range places {
		value, side, ok := s.put(p)
		if !ok {
			continue
		}
		if j, twice := seen[value]; !twice {
			seen[value] = i
		} else if side == m.prefer {
			drop[j] = true
		} else {
			drop[i] = true
		}
	}
	if len(drop) == 0 {
		return places
	}
	m.disagree(Order, s.b, s.o, s.t)
	var out []place
	for i, p := range places {
		if !drop[i] {
			out = append(out, p)
		}
	}
	return out
}

// put returns the value that one side alone put at a place, and which side. It
// returns false if none did.
func (s sides) put(p place) (value int32, side Side, ok bool) {
	switch {
	case p.clash != nil:
		return 0, 0, false
	case p.t < 0:
		return s.o.inside.items[p.o].value, Ours, true
	case p.o < 0:
		return s.t.inside.items[p.t].value, Theirs, true
	case p.b < 0:
		return 0, 0, false
	}
	b, o, t := s.b.inside.items[p.b].value, s.o.inside.items[p.o].value, s.t.inside.items[p.t].value
	if o == b {
		return t, Theirs, t != b
	}
	return o, Ours, t == b
}

// appendClash appends the preferred side's of elements that both sides changed, and
// not one by one.
func (m *merger) appendClash(items []item, s sides, c sequence.Chunk) []item {
	kind := Changed
	if c.Ours.Len() == 0 || c.Theirs.Len() == 0 {
		kind = Deleted
	}
	m.in(step{index: len(items)}, func() {
		m.conflict(kind, m.base.rawSpan(s.b, c.Base), m.ours.rawSpan(s.o, c.Ours), m.theirs.rawSpan(s.t, c.Theirs))
	})
	taken := place{b: -1, o: -1, t: -1}
	span := c.Ours
	if m.prefer == Theirs {
		span = c.Theirs
	}
	for i := span.From; i < span.To; i++ {
		if taken.o = i; m.prefer == Theirs {
			taken.o, taken.t = -1, i
		}
		items = m.appendMerged(items, s, taken)
	}
	return items
}

// rawSpan returns elements as an array of their own, nil if there are none. A single
// one is returned as it is.
func (d *document) rawSpan(n *node, s sequence.Span) jsontext.Value {
	switch s.Len() {
	case 0:
		return nil
	case 1:
		return d.standard(&n.inside.items[s.From])
	}
	from, to := n.inside.items[s.From].from, n.inside.items[s.To-1].to
	if raw := jsontext.Value("[" + string(d.text[from:to]) + "]"); raw.IsValid() {
		return raw
	}
	out := []byte("[")
	for i := s.From; i < s.To; i++ {
		if i > s.From {
			out = append(out, ", "...)
		}
		out = d.appendStandard(out, &n.inside.items[i])
	}
	return append(out, ']')
}
