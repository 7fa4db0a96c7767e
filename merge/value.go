package merge

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// fieldMerge merges the values of one field of one entity.
type fieldMerge struct {
	verdict
	clash func(path, why string, stands Party, s *entity.Shape, b, o, t entity.Value)
}

// value returns the merged value. path is that of a part of the field, "" for
// the whole.
func (f *fieldMerge) value(path string, s *entity.Shape, b, o, t entity.Value) entity.Value {
	switch {
	case o.Equal(t), b.Equal(t):
		return o
	case b.Equal(o):
		return t
	case o.IsNull() || t.IsNull():
		return f.conflict(path, "one took the value away, the other changed it", s, b, o, t)
	}
	switch s.Kind {
	case entity.KindFlags:
		return entity.NewUint(entity.KindFlags, mergeBits(b.Uint(), o.Uint(), t.Uint()))
	case entity.KindSet:
		return mergeSet(b, o, t)
	case entity.KindStruct:
		return f.members(path, s, b, o, t)
	case entity.KindArray:
		return f.array(path, s, b, o, t)
	case entity.KindString:
		return f.text(path, s, b, o, t)
	}
	return f.conflict(path, "both changed it", s, b, o, t)
}

// conflict notes a conflict and returns the value that stands.
func (f *fieldMerge) conflict(path, why string, s *entity.Shape, b, o, t entity.Value) entity.Value {
	f.clash(path, why, f.stands, s, b, o, t)
	return either(f.stands, o, t)
}

// mergeBits takes each bit from the side that changed it.
func mergeBits(b, o, t uint64) uint64 { return b ^ ((b ^ o) | (b ^ t)) }

// mergeSet takes each element from the side that added or removed it.
func mergeSet(b, o, t entity.Value) entity.Value {
	base, ours, theirs := b.Items(), o.Items(), t.Items()
	var out []entity.Value
	for _, v := range ours {
		if inSet(theirs, v) || !inSet(base, v) {
			out = append(out, v)
		}
	}
	for _, v := range theirs {
		if !inSet(ours, v) && !inSet(base, v) {
			out = append(out, v)
		}
	}
	out, _ = entity.SortSet(out)
	return entity.NewList(entity.KindSet, out)
}

func inSet(items []entity.Value, v entity.Value) bool {
	_, ok := slices.BinarySearchFunc(items, v, entity.Value.Compare)
	return ok
}

func (f *fieldMerge) members(path string, s *entity.Shape, b, o, t entity.Value) entity.Value {
	out := make([]entity.Value, len(s.Fields))
	for i, m := range s.Fields {
		var was entity.Value
		if !b.IsNull() {
			was = b.Items()[i]
		}
		name := m.Name
		if path != "" {
			name = path + "." + m.Name
		}
		out[i] = f.value(name, &m.Shape, was, o.Items()[i], t.Items()[i])
	}
	return entity.NewStruct(out)
}

func (f *fieldMerge) text(path string, s *entity.Shape, b, o, t entity.Value) entity.Value {
	merged, clash := sequence.MergeLines(b.Text(), o.Text(), t.Text(), f.stands != Theirs)
	if clash {
		f.clash(path, "both changed the same lines", f.stands, s, b, o, t)
	}
	return entity.NewString(merged)
}

func (f *fieldMerge) array(path string, s *entity.Shape, b, o, t entity.Value) entity.Value {
	if key := s.KeyIndex(); key >= 0 {
		if k, ok := newKeyed(key, b.Items(), o.Items(), t.Items()); ok {
			return f.keyedArray(path, s, k, b, o, t)
		}
	}
	return f.plainArray(path, s, b, o, t)
}

// symbolsOf numbers the elements of three lists so that equal ones have equal
// numbers.
func symbolsOf(lists ...[]entity.Value) [][]int {
	all := slices.Concat(lists...)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return all[i].Compare(all[j]) })
	symbols := make([]int, len(all))
	for n, i := range order {
		if n > 0 {
			symbols[i] = symbols[order[n-1]]
			if !all[i].Equal(all[order[n-1]]) {
				symbols[i]++
			}
		}
	}
	out := make([][]int, len(lists))
	for i, list := range lists {
		out[i], symbols = symbols[:len(list)], symbols[len(list):]
	}
	return out
}

// keyed is three arrays whose elements are told apart by a member.
type keyed struct {
	key    int
	lists  [3][]entity.Value
	keys   [3][]int             // symbols of the keys, in order
	places [3]map[int]int       // of the keys
	values map[int]entity.Value // key symbol: the key
	out    map[int]entity.Value // key symbol: the merged element
}

// newKeyed returns false if keys do not tell the elements apart: one has none,
// or two have the same.
func newKeyed(key int, base, ours, theirs []entity.Value) (*keyed, bool) {
	k := &keyed{key: key, lists: [3][]entity.Value{base, ours, theirs},
		values: make(map[int]entity.Value), out: make(map[int]entity.Value)}
	var keys [3][]entity.Value
	for i, list := range k.lists {
		for _, item := range list {
			if item.IsNull() {
				return nil, false
			}
			keys[i] = append(keys[i], item.Items()[key])
		}
	}
	for i, symbols := range symbolsOf(keys[:]...) {
		k.keys[i], k.places[i] = symbols, make(map[int]int, len(symbols))
		for place, s := range symbols {
			if _, twice := k.places[i][s]; twice {
				return nil, false
			}
			k.places[i][s] = place
			k.values[s] = keys[i][place]
		}
	}
	return k, true
}

// at returns the element of a key in one of the lists, null if there is none.
func (k *keyed) at(list, symbol int) entity.Value {
	if place, ok := k.places[list][symbol]; ok {
		return k.lists[list][place]
	}
	return entity.Value{}
}

func (f *fieldMerge) keyedArray(path string, s *entity.Shape, k *keyed, b, o, t entity.Value) entity.Value {
	for symbol := range len(k.values) {
		at := path + "[" + label(&s.Of.Fields[k.key].Shape, k.values[symbol]) + "]"
		was, mine, other := k.at(0, symbol), k.at(1, symbol), k.at(2, symbol)
		v := f.element(at, s.Of, was, mine, other)
		if !v.IsNull() {
			k.out[symbol] = v
		}
	}
	order, clash := mergeOrder(k.keys[0], k.keys[1], k.keys[2], f.stands, func(symbol int) bool {
		_, stays := k.out[symbol]
		return stays
	})
	if clash {
		f.clash(path, "both changed the order of its elements", f.stands, s, b, o, t)
	}
	out := make([]entity.Value, len(order))
	for i, symbol := range order {
		out[i] = k.out[symbol]
	}
	return entity.NewList(entity.KindArray, out)
}

// element merges one element of a keyed array; null is none. One that the one
// removed and the other changed stays where it is left to people.
func (f *fieldMerge) element(at string, s *entity.Shape, b, o, t entity.Value) entity.Value {
	g := *f
	if f.left && o.IsNull() {
		g.stands = Theirs
	}
	return g.value(at, s, b, o, t)
}

// mergeOrder merges the order of keys that stand once in each sequence and
// returns those that stay, each once. clash is true where both moved the same
// keys differently; the side given stands there.
func mergeOrder(base, ours, theirs []int, stands Party, stays func(int) bool) (out []int, clash bool) {
	bySymbol := func(a, b int) int { return a - b }
	seen := make(map[int]bool)
	put := func(symbols []int) {
		for _, symbol := range symbols {
			if !seen[symbol] && stays(symbol) {
				seen[symbol] = true
				out = append(out, symbol)
			}
		}
	}
	for _, c := range align(base, ours, theirs) {
		mine, other := ours[c.Ours.From:c.Ours.To], theirs[c.Theirs.From:c.Theirs.To]
		switch {
		case c.Origin == sequence.Theirs:
			put(other)
		case c.Origin != sequence.Conflict:
			put(mine)
		case c.Base.Len() == 0:
			put(sequence.Interleave(mine, other, bySymbol))
		default:
			mine, other = sequence.Filter(mine, stays), sequence.Filter(other, stays)
			if common := sequence.Shared(mine, other); slices.Equal(common, sequence.Shared(other, mine)) {
				put(sequence.Weave(mine, other, common, bySymbol))
			} else {
				clash = true
				put(either(stands, mine, other))
			}
		}
	}
	// What a side removed and the merge kept, or the other side's order did not
	// have, goes behind the key that it stood behind.
	out = insertMissing(out, either(stands, ours, theirs), seen, stays)
	return insertMissing(out, either(stands.Other(), ours, theirs), seen, stays), clash
}

func insertMissing(out, order []int, seen map[int]bool, stays func(int) bool) []int {
	behind := -1
	for _, symbol := range order {
		if !stays(symbol) {
			continue
		}
		if !seen[symbol] {
			seen[symbol] = true
			out = slices.Insert(out, slices.Index(out, behind)+1, symbol)
		}
		behind = symbol
	}
	return out
}

// label returns a key as paths have it.
func label(s *entity.Shape, v entity.Value) string {
	return strings.Trim(shown(s, v), `"`)
}
