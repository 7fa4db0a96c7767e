package merge

import "slices"

// A sequence is merged as symbols: numbers that stand for its elements, equal
// elements having equal numbers.

// span is a run of a sequence: from included, to excluded.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// hunk says that a run of the base became a run of a side.
type hunk struct{ base, side span }

// chunk is a run of all three that is merged as one.
type chunk struct {
	base, ours, theirs span
	byOurs, byTheirs   bool // who changed it
}

// hunks returns how base became side. Of equally short ways it takes the one
// in which elements stay in their places: numbers that were replaced are not
// to be taken for numbers that were moved.
func hunks(base, side []int) []hunk {
	lead := commonPrefix(base, side)
	b, s := base[lead:], side[lead:]
	tail := commonSuffix(b, s)
	b, s = b[:len(b)-tail], s[:len(s)-tail]
	pairs := matches(b, s)
	if len(b) == len(s) {
		if inPlace := matchesInPlace(b, s); len(inPlace) >= len(pairs) {
			pairs = inPlace
		}
	}
	return gaps(pairs, lead, len(b), len(s))
}

// gaps returns the runs between matches, offset by what was trimmed.
func gaps(pairs [][2]int, offset, nb, ns int) []hunk {
	var out []hunk
	atB, atS := 0, 0
	for _, p := range append(pairs, [2]int{nb, ns}) {
		if p[0] > atB || p[1] > atS {
			out = append(out, hunk{
				base: span{atB + offset, p[0] + offset},
				side: span{atS + offset, p[1] + offset},
			})
		}
		atB, atS = p[0]+1, p[1]+1
	}
	return out
}

func commonPrefix(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func matchesInPlace(a, b []int) [][2]int {
	var out [][2]int
	for i := range a {
		if a[i] == b[i] {
			out = append(out, [2]int{i, i})
		}
	}
	return out
}

// matches returns a longest common subsequence of a and b, or a good one where
// they have little in common and finding the longest would take long.
func matches(a, b []int) [][2]int {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if out, ok := shortestEdit(a, b); ok {
		return out
	}
	anchors := uniqueMatches(a, b)
	if len(anchors) == 0 {
		return nil
	}
	var out [][2]int
	atA, atB := 0, 0
	for _, p := range append(anchors, [2]int{len(a), len(b)}) {
		for _, q := range matches(a[atA:p[0]], b[atB:p[1]]) {
			out = append(out, [2]int{q[0] + atA, q[1] + atB})
		}
		if p[0] < len(a) {
			out = append(out, p)
		}
		atA, atB = p[0]+1, p[1]+1
	}
	return out
}

// maxEdits bounds the search for the shortest edit: its cost grows with the
// square of it.
const maxEdits = 500

// shortestEdit is Myers' greedy algorithm (An O(ND) Difference Algorithm and
// Its Variations, 1986): furthest[k] is how far one comes in a on diagonal k
// with d edits; the trace of all d leads back.
func shortestEdit(a, b []int) (pairs [][2]int, ok bool) {
	limit := min(len(a)+len(b), maxEdits)
	furthest := make([]int, 2*limit+3)
	mid := limit + 1
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(furthest[mid-d-1:mid+d+2]))
		for k := -d; k <= d; k += 2 {
			x := furthest[mid+k-1] + 1
			if k == -d || k != d && furthest[mid+k-1] < furthest[mid+k+1] {
				x = furthest[mid+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			furthest[mid+k] = x
			if k == len(a)-len(b) && x >= len(a) {
				return traceBack(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// traceBack walks from the ends back to the beginnings and returns the
// diagonal steps.
func traceBack(trace [][]int, x, y int) [][2]int {
	var out [][2]int
	for d := len(trace) - 1; d >= 0; d-- {
		at := func(k int) int { return trace[d][k+d+1] }
		k := x - y
		before := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			before = k + 1
		}
		toX := at(before)
		toY := toX - before
		if d == 0 {
			toX, toY = 0, 0
		}
		for x > toX && y > toY {
			x, y = x-1, y-1
			out = append(out, [2]int{x, y})
		}
		x, y = toX, toY
	}
	slices.Reverse(out)
	return out
}

// uniqueMatches returns the longest ascending run of elements that stand once
// in each: what a person takes as fixed points.
func uniqueMatches(a, b []int) [][2]int {
	inA, inB := places(a), places(b)
	var pairs [][2]int
	for i, s := range a {
		if j, ok := inB[s]; ok && j >= 0 && inA[s] == i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return longestAscending(pairs)
}

// places maps what stands once to its place, and what stands more often to -1.
func places(a []int) map[int]int {
	out := make(map[int]int, len(a))
	for i, s := range a {
		if _, twice := out[s]; twice {
			i = -1
		}
		out[s] = i
	}
	return out
}

func longestAscending(pairs [][2]int) [][2]int {
	var ends []int // ends[n] is the pair that ends the best run of n+1
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p[1], func(e, place int) int { return pairs[e][1] - place })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var out [][2]int
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		out = append(out, pairs[i])
	}
	slices.Reverse(out)
	return out
}

// merge3 cuts three sequences into chunks, in order, that cover them. Changes
// of the two sides are in one chunk only where they change the same elements
// of the base, or insert at the same place.
func merge3(base, ours, theirs []int) []chunk {
	o := reader{hunks: hunks(base, ours)}
	t := reader{hunks: hunks(base, theirs)}
	var out []chunk
	for at := 0; ; {
		next, ok := group(&o, &t)
		if !ok {
			return appendSame(out, &o, &t, at, len(base))
		}
		out = appendSame(out, &o, &t, at, next.base.from)
		next.ours, next.byOurs = o.take(next.base)
		next.theirs, next.byTheirs = t.take(next.base)
		out = append(out, next)
		at = next.base.to
	}
}

func appendSame(out []chunk, o, t *reader, from, to int) []chunk {
	if from == to {
		return out
	}
	return append(out, chunk{
		base:   span{from, to},
		ours:   span{from + o.shift, to + o.shift},
		theirs: span{from + t.shift, to + t.shift},
	})
}

// reader goes through the hunks of a side.
type reader struct {
	hunks []hunk
	shift int // from a place in the base to that in the side, past the hunks taken
}

// group returns the run of the base that the next hunks change which cannot be
// taken apart.
func group(o, t *reader) (chunk, bool) {
	var run span
	switch {
	case len(o.hunks) == 0 && len(t.hunks) == 0:
		return chunk{}, false
	case len(t.hunks) == 0 || len(o.hunks) > 0 && before(o.hunks[0].base, t.hunks[0].base):
		run = o.hunks[0].base
	default:
		run = t.hunks[0].base
	}
	for i, j := 0, 0; ; {
		switch {
		case i < len(o.hunks) && overlap(run, o.hunks[i].base):
			run.to = max(run.to, o.hunks[i].base.to)
			i++
		case j < len(t.hunks) && overlap(run, t.hunks[j].base):
			run.to = max(run.to, t.hunks[j].base.to)
			j++
		default:
			return chunk{base: run}, true
		}
	}
}

// before orders runs of the base: an insertion comes before what begins at its
// place.
func before(a, b span) bool {
	return a.from < b.from || a.from == b.from && a.to < b.to
}

// overlap reports whether a hunk, which does not begin before the run, changes
// something of it.
func overlap(run, h span) bool {
	if run.len() == 0 || h.len() == 0 {
		return run == h || h.from > run.from && h.from < run.to
	}
	return h.from < run.to
}

// take passes the hunks in a run of the base and returns the run of the side.
func (r *reader) take(base span) (side span, changed bool) {
	side.from = base.from + r.shift
	for len(r.hunks) > 0 && (overlap(base, r.hunks[0].base)) {
		h := r.hunks[0]
		r.shift = h.side.to - h.base.to
		r.hunks = r.hunks[1:]
		changed = true
	}
	side.to = base.to + r.shift
	return side, changed
}
