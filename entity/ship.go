package entity

import "slices"

// ForShip returns the type as ship builds have it: at its current revision alone,
// without fields and members that are for editors only. What matters to editing alone is
// left out as well: conditions, mounts, what yields. A field that is saved under a
// condition is optional instead, which lies in a pack the same.
func (t *Type) ForShip() *Type {
	ship := &Type{Name: t.Name, Revision: t.Revision, Label: t.Label, Attributes: t.Attributes}
	for _, f := range shippedFields(t.Current().Fields) {
		f.Optional = f.Optional || f.SaveWhen != ""
		f.SaveWhen, f.InsignificantWhen, f.Yields = "", "", nil
		ship.Fields = append(ship.Fields, f)
	}
	for _, f := range ship.Fields {
		if !slices.ContainsFunc(ship.Fields, func(o *Field) bool { return o.Name == f.Successor }) {
			f.Successor = ""
		}
	}
	if i := ship.Current().LabelField(); i < 0 {
		ship.Label = ""
	}
	return ship
}

// shippedFields returns copies of the fields that ship.
func shippedFields(fields []*Field) []*Field {
	var out []*Field
	for _, f := range fields {
		shape, ok := shippedShape(f.Shape)
		if f.EditorOnly || !ok {
			continue
		}
		shipped := *f
		shipped.Shape = shape
		if f.Default != nil {
			v := pruned(&f.Shape, &shape, *f.Default)
			shipped.Default = &v
		}
		out = append(out, &shipped)
	}
	return out
}

// shippedShape returns a shape as it ships; ok is false for a struct of which nothing
// does, and for a list of such.
func shippedShape(s Shape) (_ Shape, ok bool) {
	switch {
	case s.Kind == KindStruct:
		s.Fields = shippedFields(s.Fields)
		return s, len(s.Fields) > 0
	case s.Of != nil:
		of, ok := shippedShape(*s.Of)
		s.Of = &of
		if s.KeyIndex() < 0 {
			s.Key = ""
		}
		return s, ok
	}
	return s, true
}

// ForShip returns e as ship builds have it: upgraded, without fields and members that are
// for editors only and without unknown ones. ship is its type's ForShip.
func (e *Entity) ForShip(ship *Type) (*Entity, error) {
	up, err := Upgrade(e)
	if err != nil {
		return nil, err
	}
	n := &Entity{ID: e.ID, Layout: ship.Current(), Values: make([]Value, len(ship.Current().Fields))}
	for i, f := range n.Layout.Fields {
		from := up.Layout.Index(f.Name)
		n.Values[i] = pruned(&up.Layout.Fields[from].Shape, &f.Shape, up.Values[from])
	}
	return n, nil
}

// pruned returns a value of one shape in another, which lacks some of its members.
func pruned(from, to *Shape, v Value) Value {
	switch v.Kind() {
	case KindSet, KindArray:
		items := make([]Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = pruned(from.Of, to.Of, item)
		}
		return NewList(v.Kind(), items)
	case KindStruct:
		members := make([]Value, len(to.Fields))
		for i, f := range to.Fields {
			at := slices.IndexFunc(from.Fields, func(o *Field) bool { return o.Name == f.Name })
			members[i] = pruned(&from.Fields[at].Shape, &f.Shape, v.Items()[at])
		}
		return NewStruct(members)
	}
	return v
}
