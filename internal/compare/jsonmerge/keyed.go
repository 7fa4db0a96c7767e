package jsonmerge

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// keyed is an object or an array whose items are told apart by a key: the number of
// the member's name, or that of the ID.
type keyed struct {
	node *node // nil where there is none
	keys []int32
	at   map[int32]int
}

// add adds the next key, and reports whether there was none like it.
func (k *keyed) add(key int32) bool {
	if k.at == nil {
		k.at = make(map[int32]int, len(k.node.items()))
	}
	_, twice := k.at[key]
	k.at[key] = len(k.keys)
	k.keys = append(k.keys, key)
	return !twice
}

// get returns the item of that key and its place, nil and -1 if there is none.
func (k *keyed) get(key int32) (*node, int) {
	if i, ok := k.at[key]; ok {
		return &k.node.inside.items[i], i
	}
	return nil, -1
}

// byName returns an object by its members' names.
func byName(n *node) keyed {
	k := keyed{node: n}
	if n != nil && n.inside != nil {
		for _, name := range n.inside.names {
			k.add(name.id)
		}
	}
	return k
}

// keyedMerge merges items by their keys.
type keyedMerge struct {
	*merger
	b, o, t keyed
	ids     bool // the keys are IDs: two objects created with one are different things
	items   []item
}

func (m *merger) object(b, o, t *node) part {
	b = ofKind(b, jsontext.KindBeginObject)
	k := keyedMerge{merger: m, b: byName(b), o: byName(o), t: byName(t)}
	// With theirs as the base, ours is the one that changed the order.
	order, _ := sequence.Order(k.t.keys, k.o.keys, k.t.keys, k.stays)
	return k.put(order)
}

// order merges the order of an array's elements.
func (k *keyedMerge) order() []int32 {
	first, second := k.o.keys, k.t.keys
	if k.prefer == Theirs {
		first, second = second, first
	}
	order, clash := sequence.Order(k.b.keys, first, second, k.stays)
	if clash {
		k.disagree(Order, k.b.node, k.o.node, k.t.node)
	}
	return order
}

// stays reports whether what has this key is in the result. Of what one side deleted and
// the other changed the preferred side says so.
func (k *keyedMerge) stays(key int32) bool {
	b, _ := k.b.get(key)
	o, _ := k.o.get(key)
	t, _ := k.t.get(key)
	switch {
	case o != nil && t != nil:
		return true
	case o != nil:
		return b == nil || b.value != o.value && k.prefer == Ours
	case t != nil:
		return b == nil || b.value != t.value && k.prefer == Theirs
	}
	return false
}

// put merges the items that stay, in their order, and reports those that do not.
func (k *keyedMerge) put(order []int32) part {
	k.items = make([]item, 0, len(order))
	for _, key := range order {
		k.in(k.step(key, len(k.items)), func() { k.items = append(k.items, k.item(key)) })
	}
	for _, key := range k.b.keys {
		if !k.stays(key) {
			k.gone(key)
		}
	}
	return k.finish(k.b.node, k.o.node, k.t.node, k.items)
}

// item merges one that stays.
func (k *keyedMerge) item(key int32) item {
	b, base := k.b.get(key)
	o, ours := k.o.get(key)
	t, theirs := k.t.get(key)
	it := item{base: base, ours: ours, theirs: theirs}
	switch {
	case o != nil && t != nil && b == nil && k.ids && o.value != t.value:
		it.part = k.preferred(o, t)
		k.disagree(Created, nil, o, t)
	case o != nil && t != nil:
		it.part = k.merge(b, o, t)
	case o != nil:
		it.part = k.takeOurs(o)
		k.alone(b, o, nil, &k.report.Ours)
	default:
		it.part = k.takeTheirs(t)
		k.alone(b, nil, t, &k.report.Theirs)
	}
	return it
}

// alone reports what only one side has, though it stays: it was created, or there is
// a conflict.
func (k *keyedMerge) alone(b, o, t *node, created *int) {
	if b == nil {
		*created++
	} else {
		k.disagree(Deleted, b, o, t)
	}
}

// gone reports what is not in the result.
func (k *keyedMerge) gone(key int32) {
	b, _ := k.b.get(key)
	o, ours := k.o.get(key)
	t, theirs := k.t.get(key)
	switch {
	case o == nil && t == nil:
		k.report.Both++
	case o == nil && t.value == b.value:
		k.report.Ours++
	case t == nil && o.value == b.value:
		k.report.Theirs++
	default:
		k.in(k.step(key, max(ours, theirs)), func() { k.disagree(Deleted, b, o, t) })
	}
}

// step returns the path's step to an item that stands in this place.
func (k *keyedMerge) step(key int32, index int) step {
	if k.o.node.kind == jsontext.KindBeginArray {
		return step{index: index}
	}
	if _, i := k.o.get(key); i >= 0 {
		return step{name: k.ours.rawName(k.o.node, i)}
	}
	_, i := k.t.get(key)
	return step{name: k.theirs.rawName(k.t.node, i)}
}
