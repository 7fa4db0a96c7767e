package entity

import (
	"slices"
	"strings"
)

// Hunk replaces a part of an array, or of a text line by line. It is found
// again by its place and by what stands around it, also in a value that has
// changed elsewhere.
type Hunk struct {
	At            int     // the place of Old in the value that was, from 0
	Before, After []Value // what stood next to it and stayed; none at the beginning and the end
	Old, New      []Value
}

// Lines returns a text as the items of hunks are: its lines, each with its
// line break.
func Lines(text string) []Value {
	var out []Value
	for line := range strings.Lines(text) {
		out = append(out, NewString(line))
	}
	return out
}

// HunkItems returns what hunks of the value are made of: an array's elements,
// a string's lines; ok is false for other values.
func HunkItems(v Value) (items []Value, ok bool) {
	switch v.kind {
	case KindString:
		return Lines(v.text), true
	case KindArray:
		return v.list, true
	}
	return nil, false
}

// patchable reports whether the entity's field has a value that hunks fit on.
func patchable(e *Entity, field string) bool {
	_, ok := HunkItems(e.Value(field))
	return ok
}

// patch makes the hunks on v. base is v with what the hunks were made from, and
// is v itself where they fit; to is v with what they make of it. A value that
// hunks do not go with stays what it is.
func patch(s *Shape, v Value, hunks []Hunk) (base, to Value) {
	items, ok := HunkItems(v)
	if !ok || !haveShape(hunks, s) {
		return v, v
	}
	if !allFit(items, hunks) {
		if undo := invertHunks(hunks); allFit(items, undo) {
			_, base = patch(s, v, undo)
			return base, v
		}
	}
	p := patcher{now: items, key: s.KeyIndex()}
	exact := true
	for _, h := range hunks {
		exact = p.hunk(h) && exact
	}
	p.copyTo(len(items))
	if !exact && p.key >= 0 && !hasNull(items) {
		p.base, p.to = patchKeyed(items, p.key, hunks)
	}
	return unlines(v.kind, p.base), unlines(v.kind, p.to)
}

// haveShape reports whether the hunks' items can stand in a value of the shape.
func haveShape(hunks []Hunk, s *Shape) bool {
	item := s
	if s.Kind == KindArray {
		item = s.Of
	}
	for _, h := range hunks {
		for _, part := range [][]Value{h.Before, h.Old, h.New, h.After} {
			if slices.ContainsFunc(part, func(v Value) bool { return valueProblem(item, v) != "" }) {
				return false
			}
		}
	}
	return true
}

// allFit reports whether each of the hunks fits at the very place that it names.
func allFit(items []Value, hunks []Hunk) bool {
	for _, h := range hunks {
		p := patcher{now: items}
		if !p.fits(h.At, h.Before, h.Old, h.After, true) {
			return false
		}
	}
	return true
}

func unlines(k Kind, items []Value) Value {
	if k == KindArray {
		return NewList(k, items)
	}
	var text strings.Builder
	for _, line := range items {
		text.WriteString(line.text)
	}
	return NewString(text.String())
}

// patcher walks over a value and makes of it the two that patch returns.
type patcher struct {
	now      []Value
	key      int
	at       int // how far now has been copied
	drift    int // by how much the last hunk lay off its place
	base, to []Value
}

func (p *patcher) copyTo(end int) {
	p.base = append(p.base, p.now[p.at:end]...)
	p.to = append(p.to, p.now[p.at:end]...)
	p.at = end
}

// hunk puts a hunk in its place and reports whether what it replaces, or what
// it replaces that with, stands there.
func (p *patcher) hunk(h Hunk) (exact bool) {
	from, end, exact := p.place(h)
	p.drift = from - h.At
	p.copyTo(from)
	p.base = append(p.base, h.Old...)
	p.to = append(p.to, h.New...)
	p.at = end
	return exact
}

// place finds the part of now that a hunk is about: what it replaces, between
// all that it knows around that, or what it makes of that, as it is when the
// change has been made already; then the same with less around it; or whatever
// stands there instead.
func (p *patcher) place(h Hunk) (from, end int, exact bool) {
	was, d, ok := p.find(h, h.Before, h.Old, h.After, true)
	is, dIs, okIs := p.find(h, h.Before, h.New, h.After, true)
	switch {
	case ok && (!okIs || d <= dIs):
		return was, was + len(h.Old), true
	case okIs:
		return is, is + len(h.New), true
	}
	long, short := h.Old, h.New
	if len(short) > len(long) {
		long, short = short, long
	}
	for _, middle := range [][]Value{long, short} {
		if i, _, ok := p.find(h, h.Before, middle, h.After, false); ok {
			return i, i + len(middle), true
		}
	}
	if len(h.Old) > 0 {
		for _, around := range [][2][]Value{{h.Before, nil}, {nil, h.After}, {nil, nil}} {
			if i, _, ok := p.find(h, around[0], h.Old, around[1], false); ok {
				return i, i + len(h.Old), true
			}
		}
	}
	from, end = p.between(h)
	return from, end, false
}

// between returns the part of now that stands between what stood around the
// hunk; where that is gone, the hunk's own place, with nothing in it.
func (p *patcher) between(h Hunk) (from, end int) {
	before, _, found := p.find(h, h.Before, nil, nil, false)
	if found && len(h.Before) > 0 {
		after, ok := index(p.now, h.After, before)
		if ok && len(h.After) > 0 && after-before <= 2*len(h.Old)+len(h.New) {
			return before, after
		}
		return before, before
	}
	if after, _, ok := p.find(h, nil, nil, h.After, false); ok && len(h.After) > 0 {
		return after, after
	}
	at := min(max(h.At+p.drift, p.at), len(p.now))
	return at, at
}

// index returns where part stands in items, at from or later.
func index(items, part []Value, from int) (int, bool) {
	for i := from; i+len(part) <= len(items); i++ {
		if sameItems(items[i:i+len(part)], part) {
			return i, true
		}
	}
	return 0, false
}

func sameItems(a, b []Value) bool { return slices.EqualFunc(a, b, Value.Equal) }

// find returns the place of middle where it stands between before and after,
// the nearest to where the hunk should be, and how far that is. With ends, what
// had nothing before or after it is to stand at the beginning or the end.
func (p *patcher) find(h Hunk, before, middle, after []Value, ends bool) (at, distance int, ok bool) {
	hint := min(max(h.At+p.drift, p.at), len(p.now))
	for d := 0; d <= len(p.now); d++ {
		if p.fits(hint+d, before, middle, after, ends) {
			return hint + d, d, true
		}
		if p.fits(hint-d, before, middle, after, ends) {
			return hint - d, d, true
		}
	}
	return 0, 0, false
}

func (p *patcher) fits(at int, before, middle, after []Value, ends bool) bool {
	end := at + len(middle)
	return at >= p.at && at-len(before) >= 0 && end+len(after) <= len(p.now) &&
		(!ends || len(before) > 0 || at == 0) && (!ends || len(after) > 0 || end == len(p.now)) &&
		sameItems(p.now[at:end], middle) &&
		sameItems(p.now[at-len(before):at], before) && sameItems(p.now[end:end+len(after)], after)
}

func hasNull(items []Value) bool { return slices.ContainsFunc(items, Value.IsNull) }

// patchKeyed makes the hunks on an array whose elements are told apart by a
// key, wherever they stand.
func patchKeyed(now []Value, key int, hunks []Hunk) (base, to []Value) {
	base = slices.Clone(now)
	for _, h := range hunks {
		base = keyed(base, key, h, h.Old, h.New)
	}
	to = slices.Clone(base)
	for _, h := range hunks {
		to = keyed(to, key, h, h.New, h.Old)
	}
	return base, to
}

// keyed returns items with those of the hunk's elements that are in want, and
// without those that are only in other.
func keyed(items []Value, key int, h Hunk, want, other []Value) []Value {
	at := func(v Value) int {
		if v.IsNull() {
			return -1
		}
		return slices.IndexFunc(items, func(o Value) bool { return o.list[key].Equal(v.list[key]) })
	}
	place := min(h.At, len(items))
	for _, v := range h.Before {
		if i := at(v); i >= 0 {
			place = i + 1
		}
	}
	for _, v := range want {
		if i := at(v); i >= 0 {
			items[i] = v
			place = i + 1
			continue
		}
		items = slices.Insert(items, place, v)
		place++
	}
	for _, v := range other {
		keep := slices.ContainsFunc(want, func(o Value) bool { return !o.IsNull() && !v.IsNull() && o.list[key].Equal(v.list[key]) })
		if i := at(v); i >= 0 && !keep {
			items = slices.Delete(items, i, i+1)
		}
	}
	return items
}

// invertHunks returns the hunks that undo these.
func invertHunks(hunks []Hunk) []Hunk {
	if hunks == nil {
		return nil
	}
	out := make([]Hunk, len(hunks))
	shift := 0
	for i, h := range hunks {
		out[i] = Hunk{At: h.At + shift, Before: h.Before, After: h.After, Old: h.New, New: h.Old}
		shift += len(h.New) - len(h.Old)
	}
	return out
}
