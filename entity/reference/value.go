package reference

import "github.com/worldfs/worldfs/entity"

// Has reports whether values of a shape can have refs in them, and whether some of those are
// direct.
func Has(s *entity.Shape) (any, direct bool) {
	switch {
	case s.Kind == entity.KindRef:
		return true, s.Direct
	case s.Kind.IsList():
		return Has(s.Of)
	}
	for _, f := range s.Fields {
		a, d := Has(&f.Shape)
		any, direct = any || a, direct || d
	}
	return any, direct
}

// Each calls f with every ref in a value that refers to something.
func Each(s *entity.Shape, v entity.Value, f func(id entity.ID, direct bool)) {
	switch v.Kind() {
	case entity.KindRef:
		if v.Ref() != 0 {
			f(v.Ref(), s.Direct)
		}
	case entity.KindSet, entity.KindArray:
		for _, item := range v.Items() {
			Each(s.Of, item, f)
		}
	case entity.KindStruct:
		for i, item := range v.Items() {
			Each(&s.Fields[i].Shape, item, f)
		}
	}
}

// Replace returns a value with other refs in it: to is told of each ref,
// and 0 takes it away: out of a set, out of a keyed array with its element if
// it was the key, and elsewhere nothing stands in its place.
func Replace(s *entity.Shape, v entity.Value, to func(id entity.ID, direct bool) entity.ID) entity.Value {
	switch v.Kind() {
	case entity.KindRef:
		id := v.Ref()
		if id == 0 {
			return v
		}
		if id = to(id, s.Direct); id == 0 {
			return s.Zero()
		}
		return entity.NewRef(id)
	case entity.KindSet, entity.KindArray:
		return replaceInList(s, v, to)
	case entity.KindStruct:
		members := make([]entity.Value, len(v.Items()))
		for i, item := range v.Items() {
			members[i] = Replace(&s.Fields[i].Shape, item, to)
		}
		return entity.NewStruct(members)
	}
	return v
}

func replaceInList(s *entity.Shape, v entity.Value, to func(id entity.ID, direct bool) entity.ID) entity.Value {
	var items []entity.Value
	key := s.KeyIndex()
	for _, item := range v.Items() {
		n := Replace(s.Of, item, to)
		gone := s.Kind == entity.KindSet && IsNone(n) && !IsNone(item) ||
			key >= 0 && !n.IsNull() && IsNone(n.Items()[key]) && !IsNone(item.Items()[key])
		if !gone {
			items = append(items, n)
		}
	}
	if s.Kind == entity.KindSet {
		items, _ = entity.SortSet(items)
	}
	return entity.NewList(s.Kind, items)
}

// IsNone reports whether a value is a ref to nothing, or null.
func IsNone(v entity.Value) bool {
	return v.IsNull() || v.Kind() == entity.KindRef && v.Ref() == 0
}
