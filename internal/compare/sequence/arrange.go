package sequence

import "slices"

// The order of a list is merged by what became of each element. An element of
// the base stands at its place, or a side moved it; a new one stands where its
// side put it. Such a place is a gap of the base: gap i is before its element
// i, and the last one behind all. A side puts an element into the gap behind the
// element that it stands behind and that the side did not move.

// Arrangement is the merging of an order. Its elements are those of the base,
// by their places there, and the new ones behind these.
type Arrangement struct {
	Sides  [2]Tracked
	Places map[int][2]int // by element: its place on each side, -1 where it is not; of Number
	Symbol func(id int) int
	Stays  func(id int) bool
	Stands int // the side whose place counts where both moved an element

	Clashes []int        // elements that both sides put at different places; of Merged
	Moved   map[int]bool // by one side or both; of Merged

	ids [2][]int // by side and place: the element
}

// Number numbers the elements. New ones of the two sides are one if their
// symbols are the same and tell them apart.
func (a *Arrangement) Number(symbols [2][]int, single func(symbol int) bool) (count int) {
	count = len(a.Sides[0].Went)
	a.Places = make(map[int][2]int)
	new := make(map[int]int)
	for n, side := range a.Sides {
		a.ids[n] = make([]int, len(side.Came))
		for place, id := range side.Came {
			symbol := symbols[n][place]
			if id < 0 {
				var ok bool
				if id, ok = new[symbol]; !ok || !single(symbol) {
					id = count
					count++
					new[symbol] = id
				}
			}
			a.ids[n][place] = id
			at, ok := a.Places[id]
			if !ok {
				at = [2]int{-1, -1}
			}
			at[n] = place
			a.Places[id] = at
		}
	}
	return count
}

// runs returns what a side put into each gap.
func (a *Arrangement) runs(n int) [][]int {
	side := a.Sides[n]
	out := make([][]int, len(side.Went)+1)
	gap := 0
	for place, id := range a.ids[n] {
		if side.Floats[place] {
			out[gap] = append(out[gap], id)
		} else {
			gap = side.Came[place] + 1
		}
	}
	return out
}

// Merged returns the elements that stay, in order.
func (a *Arrangement) Merged() (out []int) {
	runs := [2][][]int{a.runs(0), a.runs(1)}
	a.Moved = make(map[int]bool)
	for n := range runs {
		for _, run := range runs[n] {
			for _, id := range run {
				a.Moved[id] = true
			}
		}
	}
	a.decide(&runs)
	for gap := range runs[0] {
		for _, id := range a.mergeRuns(runs[0][gap], runs[1][gap]) {
			if a.Stays(id) {
				out = append(out, id)
			}
		}
		if gap < len(runs[0])-1 && !a.Moved[gap] && a.Stays(gap) {
			out = append(out, gap)
		}
	}
	return out
}

// decide has each element in one gap: where both sides put it into one of
// their own, the place of the side that stands counts; the first, if nothing
// that stands still is between them.
func (a *Arrangement) decide(runs *[2][][]int) {
	gaps := gapsOf(runs[0])
	fixed := a.fixedBefore()
	drop := [2]map[int]bool{{}, {}}
	for id, theirs := range gapsOf(runs[1]) {
		ours, both := gaps[id]
		switch {
		case !both || ours == theirs:
		case fixed[ours] == fixed[theirs] && ours < theirs:
			drop[1][id] = true
		case fixed[ours] == fixed[theirs]:
			drop[0][id] = true
		default:
			drop[1-a.Stands][id] = true
			if a.Stays(id) {
				a.Clashes = append(a.Clashes, id)
			}
		}
	}
	slices.Sort(a.Clashes)
	for n := range runs {
		for gap, run := range runs[n] {
			runs[n][gap] = Filter(run, func(id int) bool { return !drop[n][id] })
		}
	}
}

// gapsOf returns the gap of each element.
func gapsOf(runs [][]int) map[int]int {
	out := make(map[int]int)
	for gap, run := range runs {
		for _, id := range run {
			out[id] = gap
		}
	}
	return out
}

// fixedBefore returns how many elements that both sides have stand still before
// each gap.
func (a *Arrangement) fixedBefore() []int {
	out := make([]int, len(a.Sides[0].Went)+1)
	for i := range a.Sides[0].Went {
		out[i+1] = out[i]
		if !a.Moved[i] && a.Sides[0].Went[i] >= 0 && a.Sides[1].Went[i] >= 0 {
			out[i+1]++
		}
	}
	return out
}

// mergeRuns merges what the two sides put into one gap.
func (a *Arrangement) mergeRuns(ours, theirs []int) (out []int) {
	if len(ours) == 0 || len(theirs) == 0 {
		return append(ours, theirs...)
	}
	common := Shared(ours, theirs)
	if !slices.Equal(common, Shared(theirs, ours)) {
		a.Clashes = append(a.Clashes, common[0])
		first, second := ours, theirs
		if a.Stands == 1 {
			first, second = theirs, ours
		}
		return append(slices.Clone(first), Filter(second, func(id int) bool { return !slices.Contains(first, id) })...)
	}
	return Weave(ours, theirs, common, func(x, y int) int { return a.Symbol(x) - a.Symbol(y) })
}

// Shared returns what of a run is in another, too.
func Shared(run, other []int) []int {
	in := make(map[int]bool, len(other))
	for _, s := range other {
		in[s] = true
	}
	return Filter(run, func(s int) bool { return in[s] })
}

// Weave returns what is in either of two runs: what they share in its order, and between
// it what each has there, in an order that does not depend on which side is called ours.
func Weave(a, b, common []int, compare func(a, b int) int) (out []int) {
	for _, s := range common {
		i, j := slices.Index(a, s), slices.Index(b, s)
		out = append(append(out, Interleave(a[:i], b[:j], compare)...), s)
		a, b = a[i+1:], b[j+1:]
	}
	return append(out, Interleave(a, b, compare)...)
}
