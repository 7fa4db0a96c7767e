package merge

import (
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
		b, inB := r.fields[0][symbol]
		o, inO := r.fields[1][symbol]
		t, inT := r.fields[2][symbol]
		stays, lines := inO, o
		switch {
		case inO == inT && o == t, inB == inT && b == t:
		case inB == inO && b == o:
			stays, lines = inT, t
		case inO && inT:
			var clashes bool
			if lines, clashes = mergeLines(b, o, t, v.stands); clashes {
				clash(key.name, v.stands, b, o, t)
			}
		default: // one took it away, the other changed it
			stands := v.stands
			if v.left && !inO {
				stands = Theirs
			}
			clash(key.name, stands, b, o, t)
			stays, lines = either(stands, inO, inT), either(stands, o, t)
		}
		if stays {
			out[symbol] = entity.Raw{Name: key.name, Lines: lines}
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
	fields [3]map[int]string
}

func newRawMerge(lists ...[]entity.Raw) *rawMerge {
	r := &rawMerge{}
	symbols := make(map[rawKey]int)
	for i, list := range lists {
		count := make(map[string]int)
		r.fields[i] = make(map[int]string)
		for _, raw := range list {
			key := rawKey{raw.Name, count[raw.Name]}
			count[raw.Name]++
			symbol, known := symbols[key]
			if !known {
				symbol = len(r.keys)
				symbols[key] = symbol
				r.keys = append(r.keys, key)
			}
			r.order[i] = append(r.order[i], symbol)
			r.fields[i][symbol] = raw.Lines
		}
	}
	return r
}
