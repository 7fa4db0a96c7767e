package jsonmerge

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// idKeys gives the elements of an array, in its three versions, their keys: the value
// of the ID. An element without one, or with one that another before it has, is known
// by what it resembles in the base.
type idKeys struct {
	field   int32
	next    int32 // the key of the next element without an ID
	b, o, t keyed
}

// keyedArray merges arrays by ID. It returns false if there is none.
func (m *merger) keyedArray(b, o, t *node) (part, bool) {
	field, ok := m.idField(b, o, t)
	if !ok {
		return part{}, false
	}
	keys := idKeys{field: field, next: -1}
	keys.assign(b, o, t)
	k := keyedMerge{merger: m, ids: true, b: keys.b, o: keys.o, t: keys.t}
	return k.put(k.order()), true
}

// idField returns the member that tells the objects of an array apart: the first that
// all of them have, each another; else the first that tells most of them apart on
// every side.
func (m *merger) idField(b, o, t *node) (field int32, ok bool) {
	if len(b.items())+len(o.items())+len(t.items()) == 0 {
		return 0, false
	}
	for _, enough := range []func(have, n int) bool{
		func(have, n int) bool { return have == n },
		func(have, n int) bool { return 2*have > n || n == 0 },
	} {
		for _, f := range m.idFields {
			if enough(countIDs(b, f)) && enough(countIDs(o, f)) && enough(countIDs(t, f)) {
				return f, true
			}
		}
	}
	return 0, false
}

// countIDs returns how many different IDs there are, and how many elements.
func countIDs(n *node, field int32) (have, elements int) {
	seen := make(map[int32]bool)
	for i := range n.items() {
		if id := idOf(&n.inside.items[i], field); id != nil {
			seen[id.value] = true
		}
	}
	return len(seen), len(n.items())
}

// idOf returns the value of an object's ID, nil if it has none that could be one.
func idOf(n *node, field int32) *node {
	if n.kind != jsontext.KindBeginObject {
		return nil
	}
	for i, name := range n.inside.names {
		v := &n.inside.items[i]
		if name.id == field && (v.kind == jsontext.KindString || v.kind == jsontext.KindNumber) {
			return v
		}
	}
	return nil
}

// others are the elements of an array that have no ID of their own.
type others struct {
	nodes node // an array of them
	keys  []int32
	at    []int // their places
}

// assign gives all elements their keys. IDs are numbers of the table and positive,
// other keys negative.
func (k *idKeys) assign(b, o, t *node) {
	bo, oo, to := k.withID(&k.b, b), k.withID(&k.o, o), k.withID(&k.t, t)
	for i := range bo.keys {
		bo.keys[i] = k.fresh()
	}
	k.pair(bo, oo)
	k.pair(bo, to)
	k.equal(oo, to)
	for _, side := range []struct {
		k *keyed
		o *others
	}{{&k.b, bo}, {&k.o, oo}, {&k.t, to}} {
		for i, at := range side.o.at {
			side.k.keys[at] = cmp.Or(side.o.keys[i], k.fresh())
		}
		side.k.index()
	}
}

func (k *idKeys) fresh() int32 {
	k.next--
	return k.next
}

// withID gives the elements that have an ID their keys, and returns the others.
func (k *idKeys) withID(side *keyed, n *node) *others {
	*side = keyed{node: n, keys: make([]int32, len(n.items()))}
	out := &others{nodes: node{kind: jsontext.KindBeginArray, inside: &inside{}}}
	seen := make(map[int32]bool)
	for i := range n.items() {
		item := &n.inside.items[i]
		if id := idOf(item, k.field); id != nil && !seen[id.value] {
			seen[id.value] = true
			side.keys[i] = id.value
			continue
		}
		out.nodes.inside.items = append(out.nodes.inside.items, *item)
		out.at = append(out.at, i)
	}
	out.keys = make([]int32, len(out.at))
	return out
}

// pair gives a side's elements the keys of those in the base that they are versions of.
func (k *idKeys) pair(base, side *others) {
	at, sideAt := 0, 0
	same := func(n int) {
		copy(side.keys[sideAt:sideAt+n], base.keys[at:at+n])
		at, sideAt = at+n, sideAt+n
	}
	for _, e := range alignSimilar(&base.nodes, &side.nodes) {
		same(e.Base.From - at)
		if e.Base.Len() == e.Side.Len() {
			same(e.Base.Len())
		}
		at, sideAt = e.Base.To, e.Side.To
	}
	same(len(base.keys) - at)
}

// equal gives elements that both sides created alike one key.
func (k *idKeys) equal(ours, theirs *others) {
	created := make(map[int32][]int)
	for i, key := range ours.keys {
		if key == 0 {
			v := ours.nodes.inside.items[i].value
			created[v] = append(created[v], i)
		}
	}
	for i, key := range theirs.keys {
		v := theirs.nodes.inside.items[i].value
		if same := created[v]; key == 0 && len(same) > 0 {
			theirs.keys[i] = k.fresh()
			ours.keys[same[0]] = theirs.keys[i]
			created[v] = same[1:]
		}
	}
}

// index makes the places of the keys known.
func (k *keyed) index() {
	k.at = make(map[int32]int, len(k.keys))
	for i, key := range k.keys {
		k.at[key] = i
	}
}
