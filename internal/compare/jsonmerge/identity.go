package jsonmerge

import "github.com/go-json-experiment/json/jsontext"

// identity is what tells the objects of an array apart: a member, several together, or
// such that lie deeper.
type identity struct {
	table   *table
	members [][]int32 // each by the names on the way to it
}

func newIdentity(t *table, members [][]string) identity {
	id := identity{table: t}
	for _, path := range members {
		var names []int32
		for _, name := range path {
			names = append(names, t.text(name))
		}
		id.members = append(id.members, names)
	}
	return id
}

// of returns the number of an object's ID. It returns false if the object has none
// that could be one.
func (id identity) of(n *node) (key int32, ok bool) {
	var keys [4]int32
	values := keys[:0]
	for _, path := range id.members {
		v := n
		for _, name := range path {
			if v = v.member(name); v == nil {
				return 0, false
			}
		}
		if v.kind != jsontext.KindString && v.kind != jsontext.KindNumber {
			return 0, false
		}
		values = append(values, v.value)
	}
	if len(values) == 1 {
		return values[0], true
	}
	return id.table.array(len(values), func(i int) int32 { return values[i] }), true
}

// member returns an object's member of that name, nil if it has none.
func (n *node) member(name int32) *node {
	if n.kind != jsontext.KindBeginObject {
		return nil
	}
	for i := range n.inside.names {
		if n.inside.names[i].id == name {
			return &n.inside.items[i]
		}
	}
	return nil
}
