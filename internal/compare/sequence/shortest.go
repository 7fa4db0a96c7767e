package sequence

import "slices"

// maxDistance bounds the memory that the search remembers its way in: it grows
// with the square.
const maxDistance = 1024

// shortest returns the pairs that the shortest edits from a to b leave alone,
// found by the greedy search of Myers ("An O(ND) difference algorithm"): for every
// distance, how far each diagonal gets. It returns false when that would take too
// much.
func (d *differ) shortest(a, b Span) ([]pair, bool) {
	n, m := a.Len(), b.Len()
	limit := min(n+m, maxDistance)
	far := make([]int32, 2*limit+3) // by diagonal, from -limit-1
	middle := limit + 1
	var trail [][]int32 // far's changed part before each distance
	for distance := 0; distance <= limit; distance++ {
		trail = append(trail, slices.Clone(far[middle-distance:middle+distance+1]))
		for k := -distance; k <= distance; k += 2 {
			x := int(far[middle+k-1]) + 1
			if k == -distance || k != distance && far[middle+k-1] < far[middle+k+1] {
				x = int(far[middle+k+1])
			}
			start := x
			for x < n && x-k < m && d.a[a.From+x] == d.b[b.From+x-k] {
				x++
			}
			far[middle+k] = int32(x)
			d.budget -= x - start + 1
			if x >= n && x-k >= m {
				return walkBack(a, b, trail), true
			}
		}
		if d.budget < 0 {
			return nil, false
		}
	}
	return nil, false
}

// walkBack follows the trail from the end and returns the pairs that it meets.
func walkBack(a, b Span, trail [][]int32) []pair {
	var pairs []pair
	x, y := a.Len(), b.Len()
	for distance := len(trail) - 1; distance > 0; distance-- {
		far := func(k int) int32 { return trail[distance][k+distance] }
		k := x - y
		before := k - 1
		if k == -distance || k != distance && far(k-1) < far(k+1) {
			before = k + 1
		}
		px := int(far(before))
		py := px - before
		for x > px && y > py {
			x, y = x-1, y-1
			pairs = append(pairs, pair{a.From + x, b.From + y})
		}
		x, y = px, py
	}
	for x > 0 && y > 0 {
		x, y = x-1, y-1
		pairs = append(pairs, pair{a.From + x, b.From + y})
	}
	slices.Reverse(pairs)
	return pairs
}

// landmarks returns the longest run of pairs, ascending on both sides, of
// elements that stand once in a and once in b.
func (d *differ) landmarks(a, b Span) []pair {
	type place struct{ countA, countB, b int }
	places := make(map[int32]*place)
	for i := a.From; i < a.To; i++ {
		p := places[d.a[i]]
		if p == nil {
			p = &place{}
			places[d.a[i]] = p
		}
		p.countA++
	}
	for i := b.From; i < b.To; i++ {
		if p := places[d.b[i]]; p != nil {
			p.countB++
			p.b = i
		}
	}
	var unique []pair
	for i := a.From; i < a.To; i++ {
		if p := places[d.a[i]]; p.countA == 1 && p.countB == 1 {
			unique = append(unique, pair{i, p.b})
		}
	}
	return ascending(unique)
}

// ascending returns the longest subsequence of pairs that ascends in b too.
func ascending(pairs []pair) []pair {
	var ends []int // ends[i]: the pair with the least b that a run of i+1 pairs ends with
	previous := make([]int, len(pairs))
	for i, p := range pairs {
		at, _ := slices.BinarySearchFunc(ends, p.b, func(j, b int) int { return pairs[j].b - b })
		previous[i] = -1
		if at > 0 {
			previous[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	out := make([]pair, len(ends))
	for i, at := len(ends)-1, last(ends); i >= 0; i-- {
		out[i], at = pairs[at], previous[at]
	}
	return out
}

// last returns the last element, -1 if there is none.
func last(s []int) int {
	if len(s) == 0 {
		return -1
	}
	return s[len(s)-1]
}
