package jsonmerge

import (
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// outside returns the comments around a document's root. The document may be nil.
func (d *document) outside() around {
	if d == nil {
		return around{}
	}
	return d.around
}

// mergeOutside merges the comments around the root.
func (m *merger) mergeOutside() around {
	b, o, t := m.base.outside(), m.ours.outside(), m.theirs.outside()
	return around{
		lead:  m.mergeComments(b.lead, o.lead, t.lead, true),
		trail: m.mergeComments(b.trail, o.trail, t.trail, true),
	}
}

// mergeNotes merges the comments between the items of an object or array. Those of an
// item that is deleted go with it.
func (m *merger) mergeNotes(c *made, b *node) {
	bn, on, tn := b.notes(), c.ours.notes(), c.theirs.notes()
	if bn == nil && on == nil && tn == nil {
		return
	}
	c.notes = &notes{items: make([]around, len(c.items))}
	bh, bt := bn.ends()
	oh, ot := on.ends()
	th, tt := tn.ends()
	c.notes.head, c.notes.tail = m.mergeComments(bh, oh, th, c.ours.bare), m.mergeComments(bt, ot, tt, true)
	for i := range c.items {
		it := &c.items[i]
		b, o, t := bn.of(it.base), on.of(it.ours), tn.of(it.theirs)
		switch {
		case it.theirs < 0:
			c.notes.items[i] = o
		case it.ours < 0:
			c.notes.items[i] = t
		case !b.none() || !o.none() || !t.none():
			m.in(c.step(m, i), func() { c.notes.items[i] = m.mergeAround(b, o, t) })
		}
	}
	c.notes.settle(c.ours.bare)
}

// step returns the path's step to an item that ours has.
func (c *made) step(m *merger, i int) step {
	if c.ours.kind == jsontext.KindBeginArray {
		return step{index: i}
	}
	return step{name: m.ours.rawName(c.ours, c.items[i].ours)}
}

func (m *merger) mergeAround(b, o, t around) around {
	return around{
		lead:  m.mergeComments(b.lead, o.lead, t.lead, true),
		mid:   m.mergeComments(b.mid, o.mid, t.mid, true),
		trail: m.mergeComments(b.trail, o.trail, t.trail, false),
	}
}

// mergeComments merges the comments of one place. Where there is room for more than
// one, what both sides added stays, the preferred side's first. Of a comment that both
// changed the preferred side's stands, and that is a conflict.
func (m *merger) mergeComments(b, o, t []comment, room bool) []comment {
	switch {
	case sameComments(o, t):
		if !sameComments(b, o) {
			m.report.Both++
		}
		return o
	case sameComments(b, t):
		m.report.Ours++
		return o
	case sameComments(b, o):
		m.report.Theirs++
		return t
	}
	if !room {
		m.conflict(Comment, commentValue(b), commentValue(o), commentValue(t))
		return m.preferredComments(o, t)
	}
	var out []comment
	for _, c := range sequence.Merge(commentIDs(b), commentIDs(o), commentIDs(t)) {
		ours, theirs := o[c.Ours.From:c.Ours.To], t[c.Theirs.From:c.Theirs.To]
		switch {
		case c.Origin == sequence.Theirs:
			out = append(out, theirs...)
		case c.Origin != sequence.Conflict:
			out = append(out, ours...)
		default:
			out = append(out, m.bothCommented(b[c.Base.From:c.Base.To], ours, theirs)...)
		}
	}
	return out
}

// bothCommented decides about comments that both sides changed.
func (m *merger) bothCommented(b, o, t []comment) []comment {
	if len(b) > 0 {
		m.conflict(Comment, commentValue(b), commentValue(o), commentValue(t))
		return m.preferredComments(o, t)
	}
	m.report.Ours++
	m.report.Theirs++
	if m.prefer == Theirs {
		o, t = t, o
	}
	return slices.Concat(o, t)
}

func (m *merger) preferredComments(o, t []comment) []comment {
	if m.prefer == Theirs {
		return t
	}
	return o
}

// commentValue returns comments as a text in JSON, nothing for none.
func commentValue(list []comment) jsontext.Value {
	if len(list) == 0 {
		return nil
	}
	var lines []string
	for i := range list {
		lines = append(lines, strings.ToValidUTF8(string(list[i].text), "\ufffd"))
	}
	return appendQuoted(nil, strings.Join(lines, "\n"))
}

// alike merges two equal values that are not spelled or commented upon alike.
func (m *merger) alike(b, o, t *node) part {
	if o.kind == jsontext.KindBeginObject {
		return m.object(b, o, t)
	}
	if b = ofKind(b, o.kind); len(b.items()) != len(o.items()) {
		b = nil
	}
	return m.paired(b, o, t)
}

// paired merges arrays of one length place by place. The base may be nil.
func (m *merger) paired(b, o, t *node) part {
	items := make([]item, 0, len(o.items()))
	for i := range o.items() {
		p := place{b: i, o: i, t: i}
		if b == nil {
			p.b = -1
		}
		items = m.appendMerged(items, sides{b, o, t}, p)
	}
	return m.finish(b, o, t, items)
}

// commentsLost reports comments in a value that one side changed, where the other
// changed the value and p, its version, stands.
func (m *merger) commentsLost(p part, b, o, t *node) {
	other, d, taken := t, m.theirs, Ours
	if p.doc == m.theirs {
		other, d, taken = o, m.ours, Theirs
	}
	if b == nil || other.value != b.value || !b.noted && !other.noted {
		return
	}
	was := m.base.commentsIn(b)
	if sameComments(was, d.commentsIn(other)) {
		return
	}
	m.conflict(Comment, commentValue(was), commentValue(m.ours.commentsIn(o)), commentValue(m.theirs.commentsIn(t)))
	m.report.Conflicts[len(m.report.Conflicts)-1].Taken = taken
}

// commentsIn returns the comments within a value.
func (d *document) commentsIn(n *node) []comment {
	at := func(place int32) int {
		return sort.Search(len(d.comments), func(i int) bool { return d.comments[i].from >= place })
	}
	return d.comments[at(n.from):at(n.to)]
}
