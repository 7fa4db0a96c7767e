package merge

import (
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// arrayMerge merges three arrays without keys. An element that stands but once
// in each of them is the same wherever it stands; others are told apart by
// their places.
type arrayMerge struct {
	fieldMerge
	path    string
	shape   *entity.Shape
	lists   [3][]entity.Value // base, ours, theirs
	symbols [][]int
	order   sequence.Arrangement
}

// plainArray merges arrays without keys. Where an element would come to stand
// twice that stood twice on neither side, there is a conflict about the whole.
func (f *fieldMerge) plainArray(path string, s *entity.Shape, b, o, t entity.Value) entity.Value {
	var clashes []func()
	a := arrayMerge{fieldMerge: *f, path: path, shape: s, lists: [3][]entity.Value{b.Items(), o.Items(), t.Items()}}
	a.clash = func(path, why string, stands Party, s *entity.Shape, b, o, t entity.Value) {
		clashes = append(clashes, func() { f.clash(path, why, stands, s, b, o, t) })
	}
	items, ok := a.merged(b, o, t)
	if !ok {
		return f.conflict(path, "with both sides' changes an element would stand there twice", s, b, o, t)
	}
	for _, tell := range clashes {
		tell()
	}
	return entity.NewList(entity.KindArray, items)
}

func (a *arrayMerge) merged(b, o, t entity.Value) (items []entity.Value, ok bool) {
	a.symbols = symbolsOf(a.lists[:]...)
	single := a.single()
	a.order = sequence.Arrangement{Symbol: a.symbolOf, Stays: a.stays}
	if a.stands == Theirs {
		a.order.Stands = 1
	}
	for n := range a.order.Sides {
		a.order.Sides[n] = sequence.Track(a.symbols[0], a.symbols[n+1], single)
	}
	a.order.Number([2][]int{a.symbols[1], a.symbols[2]}, single)
	ids := a.order.Merged()
	for _, id := range a.order.Clashes {
		a.clash(fmt.Sprintf("%s[%d]", a.path, slices.Index(ids, id)), "both put the element at different places", a.stands, a.shape, b, o, t)
	}
	a.removals(ids)
	for i, id := range ids {
		items = append(items, a.value(fmt.Sprintf("%s[%d]", a.path, i), id))
	}
	return items, !a.twice(ids, items)
}

// single returns what tells whether an element stands but once in each list. A
// ref to nothing is no element of its own.
func (a *arrayMerge) single() func(symbol int) bool {
	many := make(map[int]bool)
	for n, list := range a.symbols {
		seen := make(map[int]bool)
		for i, symbol := range list {
			many[symbol] = many[symbol] || seen[symbol] || reference.IsNone(a.lists[n][i])
			seen[symbol] = true
		}
	}
	return func(symbol int) bool { return !many[symbol] }
}

// at returns the places of an element on the sides.
func (a *arrayMerge) at(id int) (base, ours, theirs int) {
	base = -1
	if id < len(a.lists[0]) {
		return id, a.order.Sides[0].Went[id], a.order.Sides[1].Went[id]
	}
	return base, a.order.Places[id][0], a.order.Places[id][1]
}

func (a *arrayMerge) symbolOf(id int) int {
	switch base, ours, theirs := a.at(id); {
	case base >= 0:
		return a.symbols[0][base]
	case ours >= 0:
		return a.symbols[1][ours]
	default:
		return a.symbols[2][theirs]
	}
}

// stays reports whether an element is in the merged array: not if a side
// removed it, unless the other changed or moved it and stands.
func (a *arrayMerge) stays(id int) bool {
	base, ours, theirs := a.at(id)
	switch {
	case base < 0 || ours >= 0 && theirs >= 0:
		return true
	case ours < 0 && theirs < 0:
		return false
	}
	return a.disputed(id) && either(a.stands, ours, theirs) >= 0
}

// disputed reports whether one side removed an element of the base that the
// other changed or moved.
func (a *arrayMerge) disputed(id int) bool {
	base, ours, theirs := a.at(id)
	if base < 0 || (ours < 0) == (theirs < 0) {
		return false
	}
	n := 0
	if ours < 0 {
		n = 1
	}
	return a.order.Sides[n].Moved(id) || a.symbols[n+1][max(ours, theirs)] != a.symbols[0][base]
}

// removals tells of what one side removed and the other changed or moved.
func (a *arrayMerge) removals(ids []int) {
	for id := range a.lists[0] {
		if !a.disputed(id) {
			continue
		}
		place := slices.Index(ids, id)
		if place < 0 {
			place = id
		}
		_, ours, theirs := a.at(id)
		a.clash(fmt.Sprintf("%s[%d]", a.path, place), "one removed the element, the other changed or moved it", a.stands,
			a.shape.Of, a.lists[0][id], listItem(a.lists[1], ours), listItem(a.lists[2], theirs))
	}
}

// listItem returns the element at a place, null if there is none.
func listItem(items []entity.Value, place int) entity.Value {
	if place < 0 {
		return entity.Value{}
	}
	return items[place]
}

func (a *arrayMerge) value(path string, id int) entity.Value {
	base, ours, theirs := a.at(id)
	switch {
	case ours < 0:
		return a.lists[2][theirs]
	case theirs < 0 || base < 0:
		return a.lists[1][ours]
	}
	return a.fieldMerge.value(path, a.shape.Of, a.lists[0][base], a.lists[1][ours], a.lists[2][theirs])
}

// twice reports whether an element stands twice that did so on neither side.
// Numbers and the like that both painted over others in place are no elements
// of their own, if others of the list stand in it more than once, too.
func (a *arrayMerge) twice(ids []int, items []entity.Value) bool {
	symbols := symbolsOf(items, a.lists[1], a.lists[2], a.lists[0])
	painted := !names(a.shape.Of.Kind) && slices.ContainsFunc(symbols[1:], repeats)
	counts := make([]map[int]int, len(symbols))
	for n, list := range symbols {
		counts[n] = make(map[int]int)
		for _, symbol := range list {
			counts[n][symbol]++
		}
	}
	for i, symbol := range symbols[0] {
		if counts[0][symbol] > 1 && counts[1][symbol] < 2 && counts[2][symbol] < 2 && !reference.IsNone(items[i]) && (!painted || a.floats(ids[i])) {
			return true
		}
	}
	return false
}

// floats reports whether an element is new or was moved.
func (a *arrayMerge) floats(id int) bool { return id >= len(a.lists[0]) || a.order.Moved[id] }

// names reports whether a value of the kind stands for a thing, so that it is
// never by chance that there are two.
func names(k entity.Kind) bool {
	return k == entity.KindRef || k == entity.KindString || k == entity.KindGUID
}

// repeats reports whether a symbol stands in a list twice.
func repeats(symbols []int) bool {
	seen := make(map[int]bool)
	for _, symbol := range symbols {
		if seen[symbol] {
			return true
		}
		seen[symbol] = true
	}
	return false
}
