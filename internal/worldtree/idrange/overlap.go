package idrange

import (
	"cmp"
	"slices"
	"strings"
)

// Overlap is the IDs that two ranges of different owners both have.
type Overlap struct {
	First, Second Range // in the order of their lines
	From, To      uint64
}

// sameOwner reports whether two ranges say the same of an ID that is in both.
func sameOwner(a, b Range) bool { return ownerOf(a) == ownerOf(b) }

// ownerOf returns what a range says of the IDs in it, for comparison.
func ownerOf(r Range) string {
	owners := r.Owners()
	slices.Sort(owners)
	kind := ""
	if r.Disposable {
		kind = "disposable"
	}
	return strings.Join(append(slices.Compact(owners), kind), " ")
}

// Overlaps returns the overlaps of ranges, by pairs of lines, the lowest IDs first. Lines that
// say the same of the IDs that both have do not overlap.
func Overlaps(ranges []Range) (found []Overlap) {
	byID := sorted(ranges)
	for i, a := range byID {
		for _, b := range byID[i+1:] {
			if b.From >= a.To {
				break
			}
			if sameOwner(a, b) {
				continue
			}
			o := Overlap{First: a, Second: b, From: b.From, To: min(a.To, b.To)}
			if b.Line < a.Line {
				o.First, o.Second = b, a
			}
			found = append(found, o)
		}
	}
	return found
}

func sorted(ranges []Range) []Range {
	return slices.SortedStableFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.From, b.From) })
}

// Settled returns the ranges without the IDs that are in an overlap, which are nobody's. A
// range with an overlap amid it comes back as two, with the same line. Where nothing overlaps
// the ranges come back as they are.
func Settled(ranges []Range) []Range {
	disputed := disputedIn(ranges)
	if len(disputed) == 0 {
		return ranges
	}
	var settled []Range
	for _, r := range ranges {
		settled = append(settled, without(r, disputed)...)
	}
	return settled
}

// span is IDs from From up to but not To.
type span struct{ from, to uint64 }

// disputedIn returns the IDs that are in an overlap, in order and joined where they touch.
func disputedIn(ranges []Range) (spans []span) {
	for _, o := range Overlaps(ranges) {
		spans = append(spans, span{o.From, o.To})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	joined := spans[:0]
	for _, s := range spans {
		if last := len(joined) - 1; last >= 0 && s.from <= joined[last].to {
			joined[last].to = max(joined[last].to, s.to)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// without returns what is left of a range.
func without(r Range, disputed []span) (left []Range) {
	i, _ := slices.BinarySearchFunc(disputed, r.From, func(s span, from uint64) int { return cmp.Compare(s.to, from+1) })
	for ; i < len(disputed) && disputed[i].from < r.To; i++ {
		if before := r; disputed[i].from > r.From {
			before.To = disputed[i].from
			left = append(left, before)
		}
		r.From = disputed[i].to
	}
	if r.From < r.To {
		left = append(left, r)
	}
	return left
}
