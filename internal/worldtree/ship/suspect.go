package ship

import (
	"cmp"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Suspect is a field of integers most of which are entities' IDs. It may hold refs and not
// say so: they are not rewritten, and are wrong in a dense build.
type Suspect struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Kind   string `json:"kind"`
	Values int    `json:"values"` // not zero, each counted once
	IDs    int    `json:"ids"`    // of those, IDs of entities
	// Chance says that most numbers as small as these are IDs in this world, so that any
	// field of such numbers would look like one of refs.
	Chance bool `json:"chance,omitempty"`
}

// maxDistinct is how many different values of a field are looked at.
const maxDistinct = 1 << 16

type numbers struct {
	kind   entity.Kind
	values map[uint64]bool // whether there is an entity of that ID
}

// suspects returns the fields that may hold refs, the most certain ones first.
func (m *making) suspects() []Suspect {
	ids := make([]entity.ID, 0, len(m.to)+len(m.leftOut))
	for id := range m.to {
		ids = append(ids, id)
	}
	for id := range m.leftOut {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	isID := make(map[uint64]bool, len(ids))
	for _, id := range ids {
		isID[uint64(id)] = true
	}
	type place struct{ typ, path string }
	found := make(map[place]*numbers)
	for _, e := range m.chosen {
		shipped := m.types[e.Type()].Current()
		for _, f := range shipped.Fields {
			i := e.Layout.Index(f.Name)
			integers(f.Name, &e.Layout.Fields[i].Shape, e.Values[i], func(path string, k entity.Kind, n uint64) {
				at := place{e.Type(), path}
				if found[at] == nil {
					found[at] = &numbers{k, make(map[uint64]bool)}
				}
				if in := found[at].values; n != 0 && len(in) < maxDistinct {
					in[n] = isID[n]
				}
			})
		}
	}
	var list []Suspect
	for at, n := range found {
		if s := n.suspect(ids); 2*s.IDs > s.Values {
			s.Type, s.Field = at.typ, at.path
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Suspect) int {
		if a.Chance != b.Chance {
			return map[bool]int{false: -1, true: 1}[a.Chance]
		}
		return cmp.Or(cmp.Compare(b.IDs, a.IDs), strings.Compare(a.Type, b.Type), strings.Compare(a.Field, b.Field))
	})
	return list
}

func (n *numbers) suspect(ids []entity.ID) Suspect {
	s := Suspect{Kind: n.kind.String(), Values: len(n.values)}
	var most uint64
	for v, is := range n.values {
		if is {
			s.IDs++
			most = max(most, v)
		}
	}
	below, _ := slices.BinarySearch(ids, entity.ID(most))
	s.Chance = 2*uint64(below+1) >= most
	return s
}

// integers calls do with each integer of a value that is wide enough for an ID.
func integers(path string, s *entity.Shape, v entity.Value, do func(path string, k entity.Kind, n uint64)) {
	switch v.Kind() {
	case entity.KindI16, entity.KindI32, entity.KindI64, entity.KindU16, entity.KindU32, entity.KindU64:
		do(path, v.Kind(), v.Uint())
	case entity.KindSet, entity.KindArray:
		for _, item := range v.Items() {
			integers(path, s.Of, item, do)
		}
	case entity.KindStruct:
		for i, f := range s.Fields {
			integers(path+"."+f.Name, &f.Shape, v.Items()[i], do)
		}
	}
}
