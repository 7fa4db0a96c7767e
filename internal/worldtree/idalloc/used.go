package idalloc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// span is IDs from From up to but not To. In JSON it is [from, to].
type span struct{ From, To uint64 }

// MarshalJSON returns the span as an array.
func (s span) MarshalJSON() ([]byte, error) { return json.Marshal([2]uint64{s.From, s.To}) }

// UnmarshalJSON reads an array.
func (s *span) UnmarshalJSON(data []byte) error {
	var both [2]uint64
	if err := json.Unmarshal(data, &both); err != nil {
		return err
	}
	if both[0] >= both[1] || both[1] > 1<<32 {
		return fmt.Errorf("%d to %d is no range of IDs", both[0], both[1])
	}
	s.From, s.To = both[0], both[1]
	return nil
}

// idSet is a set of IDs: spans in order that do not touch.
type idSet []span

// next returns the lowest ID that is not below id and not in the set.
func (s idSet) next(id uint64) uint64 {
	i, _ := slices.BinarySearchFunc(s, id, func(o span, id uint64) int { return cmp.Compare(o.To, id+1) })
	if i < len(s) && s[i].From <= id {
		return s[i].To
	}
	return id
}

// with returns the set and more IDs.
func (s idSet) with(ids []entity.ID) idSet {
	if len(ids) == 0 {
		return s
	}
	all := slices.Clone(s)
	for _, id := range ids {
		all = append(all, span{uint64(id), uint64(id) + 1})
	}
	return normal(all)
}

// normal puts spans in order and joins those that touch.
func normal(spans []span) idSet {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.From, b.From) })
	var joined idSet
	for _, s := range spans {
		if last := len(joined) - 1; last >= 0 && s.From <= joined[last].To {
			joined[last].To = max(joined[last].To, s.To)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// has reports whether all IDs of a span are in the set.
func (s idSet) has(all span) bool { return s.next(all.From) >= all.To }
