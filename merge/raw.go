package merge

import (
	"cmp"
	"slices"

	"github.com/worldfs/worldfs/entity"
)

// mergeRaw merges the fields that are unknown to the entity's type: by name,
// then by their lines. clash is told of those whose same lines both changed.
func mergeRaw(base, ours, theirs []entity.Raw, v verdict, clash func(name string, stands Party, b, o, t string)) []entity.Raw {
	switch {
	case slices.Equal(ours, theirs), slices.Equal(base, theirs):
		return ours
	case slices.Equal(base, ours):
		return theirs
	}
	r := newRawMerge(base, ours, theirs)
	out := make(map[int]entity.Raw)
	for symbol, key := range r.keys {
		f := r.field(symbol, v, func(stands Party, b, o, t string) { clash(key.name, stands, b, o, t) })
		if f.there {
			out[symbol] = entity.Raw{Name: key.name, Lines: f.lines}
		}
	}
	order, _ := mergeOrder(r.order[0], r.order[1], r.order[2], v.stands, func(symbol int) bool {
		_, ok := out[symbol]
		return ok
	})
	merged := make([]entity.Raw, len(order))
	for i, symbol := range order {
		merged[i] = out[symbol]
	}
	return merged
}

// rawKey is a name, and how many of that name came before.
type rawKey struct {
	name string
	nth  int
}

type rawMerge struct {
	keys   []rawKey
	order  [3][]int
	fields [3]map[int]rawField
}

// rawField is the lines of a field, if it is there.
type rawField struct {
	there bool
	lines string
}

// field merges one field. One that the one took away and the other changed
// stays where it is left to people.
func (r *rawMerge) field(symbol int, v verdict, clash func(stands Party, b, o, t string)) rawField {
	b, o, t := r.fields[0][symbol], r.fields[1][symbol], r.fields[2][symbol]
	switch {
	case o == t, b == t:
		return o
	case b == o:
		return t
	case o.there && t.there:
		lines, clashes := mergeLines(b.lines, o.lines, t.lines, v.stands)
		if clashes {
			clash(v.stands, b.lines, o.lines, t.lines)
		}
		return rawField{true, lines}
	}
	stands := v.stands
	if v.left {
		stands = partyIf(o.there)
	}
	clash(stands, b.lines, o.lines, t.lines)
	return either(stands, o, t)
}

func newRawMerge(lists ...[]entity.Raw) *rawMerge {
	r := &rawMerge{keys: rawKeys(lists)}
	symbols := make(map[rawKey]int)
	for symbol, key := range r.keys {
		symbols[key] = symbol
	}
	for i, list := range lists {
		count := make(map[string]int)
		r.fields[i] = make(map[int]rawField)
		for _, raw := range list {
			key := rawKey{raw.Name, count[raw.Name]}
			count[raw.Name]++
			symbol := symbols[key]
			r.order[i] = append(r.order[i], symbol)
			r.fields[i][symbol] = rawField{true, raw.Lines}
		}
	}
	return r
}

// rawKeys returns the keys of all lists by name, so that the order of what both
// sides put at one place does not depend on which side is called ours.
func rawKeys(lists [][]entity.Raw) (keys []rawKey) {
	for _, list := range lists {
		count := make(map[string]int)
		for _, raw := range list {
			keys = append(keys, rawKey{raw.Name, count[raw.Name]})
			count[raw.Name]++
		}
	}
	slices.SortFunc(keys, func(a, b rawKey) int { return cmp.Or(cmp.Compare(a.name, b.name), a.nth-b.nth) })
	return slices.Compact(keys)
}
