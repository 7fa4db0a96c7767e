package merge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// names merges the names of an enum or of flags. Where both gave one number to
// two new names, the name of the side that a policy decides for has it, else the
// lesser name, and the other gets the next; values follow by name.
func (d *typeMerge) names(field string, base, ours, theirs []entity.Name) []entity.Name {
	v := d.options.verdict(0, d.name, field)
	first, second := either(v.stands, ours, theirs), either(v.stands.Other(), ours, theirs)
	n := nameMerge{typeMerge: d, field: field, left: v.left, base: numbers(base),
		first: numbers(first), second: numbers(second), taken: make(map[int64]bool)}
	for _, name := range n.order(slices.Concat(first, second)) {
		n.add(name)
	}
	slices.SortFunc(n.out, func(a, b entity.Name) int { return cmp.Compare(a.Number, b.Number) })
	return n.out
}

// nameMerge is the names of an enum or of flags being merged.
type nameMerge struct {
	*typeMerge
	field         string
	left          bool             // no policy decides: neither side is before the other
	base          map[string]int64 // the numbers of the names
	first, second map[string]int64 // those of the side that stands, and of the other
	taken         map[int64]bool   // by the names in out
	out           []entity.Name
}

// order returns the names that stay in the order in which they get their numbers:
// those of the base before new ones.
func (n *nameMerge) order(all []entity.Name) (names []string) {
	for _, a := range all {
		if !slices.Contains(names, a.Name) && !n.removed(a.Name) {
			names = append(names, a.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		if has(n.base, a) != has(n.base, b) {
			return map[bool]int{true: -1, false: 1}[has(n.base, a)]
		}
		if n.left {
			return cmp.Compare(a, b)
		}
		return 0
	})
	return names
}

// removed reports whether a side took a name of the base away.
func (n *nameMerge) removed(name string) bool {
	return has(n.base, name) && !(has(n.first, name) && has(n.second, name))
}

func has(m map[string]int64, name string) bool { _, ok := m[name]; return ok }

// add gives a name its number.
func (n *nameMerge) add(name string) {
	wanted := n.wanted(name)
	number := wanted
	for n.taken[number] {
		number++
	}
	if number != wanted && !has(n.base, name) {
		n.repair(Repair{Kind: Renamed, Type: n.name, Field: n.field, From: part(wanted), To: part(number),
			Message: fmt.Sprintf("both gave the number to a new name; %q has the next, and values follow", name)})
	}
	n.taken[number] = true
	n.out = append(n.out, entity.Name{Name: name, Number: number})
}

// wanted returns the number of a name: that which a side gave it anew, else that of
// the base.
func (n *nameMerge) wanted(name string) int64 {
	was, inBase := n.base[name]
	first, inFirst := n.first[name]
	second, inSecond := n.second[name]
	switch {
	case !inSecond || inBase && second == was:
		return first
	case !inFirst || inBase && first == was:
		return second
	case n.left:
		return min(first, second)
	}
	return first
}

func numbers(names []entity.Name) map[string]int64 {
	out := make(map[string]int64, len(names))
	for _, n := range names {
		out[n.Name] = n.Number
	}
	return out
}
