package merge

import (
	"slices"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// The order of a list is merged by what became of each element. An element of
// the base stands at its place, or a side moved it; a new one stands where its
// side put it. Such a place is a gap of the base: gap i is before its element
// i, and the last one behind all. A side puts an element into the gap behind the
// element that it stands behind and that the side did not move.

// arrangement is the merging of an order. Its elements are those of the base,
// by their places there, and the new ones behind these.
type arrangement struct {
	sides  [2]sequence.Tracked
	ids    [2][]int       // by side and place: the element
	places map[int][2]int // by element: its place on each side, -1 where it is not
	symbol func(id int) int
	stays  func(id int) bool
	stands Party

	clashes []int        // elements that both sides put at different places
	moved   map[int]bool // by one side or both
}

// number numbers the elements. New ones of the two sides are one if their
// symbols are the same and tell them apart.
func (a *arrangement) number(symbols [2][]int, single func(symbol int) bool) (count int) {
	count = len(a.sides[0].Went)
	a.places = make(map[int][2]int)
	new := make(map[int]int)
	for n, side := range a.sides {
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
			at, ok := a.places[id]
			if !ok {
				at = [2]int{-1, -1}
			}
			at[n] = place
			a.places[id] = at
		}
	}
	return count
}

// runs returns what a side put into each gap.
func (a *arrangement) runs(n int) [][]int {
	side := a.sides[n]
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

// merged returns the elements that stay, in order.
func (a *arrangement) merged() (out []int) {
	runs := [2][][]int{a.runs(0), a.runs(1)}
	a.moved = make(map[int]bool)
	for n := range runs {
		for _, run := range runs[n] {
			for _, id := range run {
				a.moved[id] = true
			}
		}
	}
	a.decide(&runs)
	for gap := range runs[0] {
		for _, id := range a.mergeRuns(runs[0][gap], runs[1][gap]) {
			if a.stays(id) {
				out = append(out, id)
			}
		}
		if gap < len(runs[0])-1 && !a.moved[gap] && a.stays(gap) {
			out = append(out, gap)
		}
	}
	return out
}

// decide has each element in one gap: where both sides put it into one of
// their own, the place of the side that stands counts; the first, if nothing
// that stands still is between them.
func (a *arrangement) decide(runs *[2][][]int) {
	gaps := gapsOf(runs[0])
	stands := 0
	if a.stands == Theirs {
		stands = 1
	}
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
			drop[1-stands][id] = true
			if a.stays(id) {
				a.clashes = append(a.clashes, id)
			}
		}
	}
	slices.Sort(a.clashes)
	for n := range runs {
		for gap, run := range runs[n] {
			runs[n][gap] = filtered(run, func(id int) bool { return !drop[n][id] })
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
func (a *arrangement) fixedBefore() []int {
	out := make([]int, len(a.sides[0].Went)+1)
	for i := range a.sides[0].Went {
		out[i+1] = out[i]
		if !a.moved[i] && a.sides[0].Went[i] >= 0 && a.sides[1].Went[i] >= 0 {
			out[i+1]++
		}
	}
	return out
}

// mergeRuns merges what the two sides put into one gap.
func (a *arrangement) mergeRuns(ours, theirs []int) (out []int) {
	if len(ours) == 0 || len(theirs) == 0 {
		return append(ours, theirs...)
	}
	common := shared(ours, theirs)
	if !slices.Equal(common, shared(theirs, ours)) {
		a.clashes = append(a.clashes, common[0])
		first, second := ours, theirs
		if a.stands == Theirs {
			first, second = theirs, ours
		}
		return append(slices.Clone(first), filtered(second, func(id int) bool { return !slices.Contains(first, id) })...)
	}
	return weave(ours, theirs, common, func(x, y int) int { return a.symbol(x) - a.symbol(y) })
}

func filtered(ids []int, keep func(int) bool) (out []int) {
	for _, id := range ids {
		if keep(id) {
			out = append(out, id)
		}
	}
	return out
}
