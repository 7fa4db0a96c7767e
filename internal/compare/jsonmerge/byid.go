package jsonmerge

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// idKeys gives the elements of an array, in its three versions, their keys: the value
// of the ID. An element without one, or with one that another before it has, is known
// by what it resembles in the base.
type idKeys struct {
	id      identity
	next    int32 // the key of the next element without an ID
	b, o, t keyed
}

// keyedArray merges arrays by ID. It returns false if there is none.
func (m *merger) keyedArray(b, o, t *node) (part, bool) {
	id, ok := m.idField(b, o, t)
	if !ok {
		return part{}, false
	}
	return m.byIdentity(id, b, o, t), true
}

// byIdentity merges arrays by this ID.
func (m *merger) byIdentity(id identity, b, o, t *node) part {
	keys := idKeys{id: id, next: -1}
	keys.assign(b, o, t)
	k := keyedMerge{merger: m, ids: true, b: keys.b, o: keys.o, t: keys.t}
	return k.put(k.order())
}

// idField returns the member that tells the objects of an array apart: the first that
// all of them have, each another; else the first that tells most of them apart on
// every side.
func (m *merger) idField(b, o, t *node) (id identity, ok bool) {
	if len(b.items())+len(o.items())+len(t.items()) == 0 {
		return id, false
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
	return id, false
}

// countIDs returns how many different IDs there are, and how many elements.
func countIDs(n *node, id identity) (have, elements int) {
	seen := make(map[int32]bool)
	for i := range n.items() {
		if key, ok := id.of(&n.inside.items[i]); ok {
			seen[key] = true
		}
	}
	return len(seen), len(n.items())
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
		if key, ok := k.id.of(item); ok && !seen[key] {
			seen[key] = true
			side.keys[i] = key
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
