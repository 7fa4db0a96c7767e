package changeset

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// context is how many items that stay are written on either side of those that
// change.
const context = 2

// hunks returns what makes to of from, where both are arrays or texts; ok is
// false where that is not worth more than the two values as they are.
func hunks(s *entity.Shape, from, to entity.Value) (out []entity.Hunk, ok bool) {
	if from.Kind() != to.Kind() {
		return nil, false
	}
	old, ok := entity.HunkItems(from)
	now, _ := entity.HunkItems(to)
	if !ok || len(old) <= 2*context {
		return nil, false
	}
	item := itemShape(s)
	edits := sequence.Diff(spelled(item, old), spelled(item, now))
	written := 0
	for i, e := range edits {
		first, last := 0, len(old)
		if i > 0 {
			first = edits[i-1].Base.To
		}
		if i+1 < len(edits) {
			last = edits[i+1].Base.From
		}
		h := entity.Hunk{
			At:     e.Base.From,
			Before: old[max(first, e.Base.From-context):e.Base.From],
			Old:    old[e.Base.From:e.Base.To],
			New:    now[e.Side.From:e.Side.To],
			After:  old[e.Base.To:min(last, e.Base.To+context)],
		}
		written += 1 + len(h.Before) + len(h.Old) + len(h.New) + len(h.After)
		out = append(out, h)
	}
	return out, written < len(old)+len(now) && !moves(s, out)
}

// itemShape returns the shape of what hunks of a value of the shape are made
// of.
func itemShape(s *entity.Shape) *entity.Shape {
	if s.Kind == entity.KindArray {
		return s.Of
	}
	return &entity.Shape{Kind: entity.KindString}
}

// spelled returns each item as a text that only equal items share.
func spelled(s *entity.Shape, items []entity.Value) []string {
	out := make([]string, len(items))
	var line []byte
	for i, v := range items {
		line = interchange.AppendValue(line[:0], s, v)
		out[i] = string(line)
	}
	return out
}

// moves reports whether an element of a keyed array goes from one place to
// another. Such a change is about the order of all of them.
func moves(s *entity.Shape, hunks []entity.Hunk) bool {
	key := s.KeyIndex()
	if key < 0 {
		return false
	}
	gone := make(map[string]int)
	each := func(items []entity.Value, do func(key string)) {
		for _, v := range items {
			if !v.IsNull() {
				do(string(interchange.AppendValue(nil, &s.Of.Fields[key].Shape, v.Items()[key])))
			}
		}
	}
	for i, h := range hunks {
		each(h.Old, func(k string) { gone[k] = i })
	}
	found := false
	for i, h := range hunks {
		each(h.New, func(k string) {
			from, ok := gone[k]
			found = found || ok && from != i
		})
	}
	return found
}
