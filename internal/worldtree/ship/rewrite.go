package ship

import "github.com/worldfs/worldfs/entity"

// rewrite returns a value in which each ref is what follow makes of it. Sets are in order
// after it, and what has become equal in them is there once.
func rewrite(path string, s *entity.Shape, v entity.Value, follow func(path string, direct bool, to entity.ID) entity.ID) entity.Value {
	switch v.Kind() {
	case entity.KindRef:
		if v.Ref() == 0 {
			return v
		}
		return entity.NewRef(follow(path, s.Direct, v.Ref()))
	case entity.KindSet, entity.KindArray:
		if !s.Declares(isRef) {
			return v
		}
		items := make([]entity.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = rewrite(path, s.Of, item, follow)
		}
		if v.Kind() == entity.KindSet {
			items, _ = entity.SortSet(items)
		}
		return entity.NewList(v.Kind(), items)
	case entity.KindStruct:
		members := make([]entity.Value, len(s.Fields))
		for i, f := range s.Fields {
			members[i] = rewrite(path+"."+f.Name, &f.Shape, v.Items()[i], follow)
		}
		return entity.NewStruct(members)
	}
	return v
}

func isRef(k entity.Kind) bool { return k == entity.KindRef }

// withDefaults returns a type whose fields' defaults have ship IDs, at any depth. A
// default that leads nowhere becomes 0 where IDs are numbered anew.
func (m *making) withDefaults(t *entity.Type) *entity.Type {
	if !m.options.Dense {
		return t
	}
	n := &entity.Type{Name: t.Name, Revision: t.Revision, Label: t.Label, Attributes: t.Attributes}
	n.Fields = m.defaultsOf(t.Fields)
	return n
}

func (m *making) defaultsOf(fields []*entity.Field) []*entity.Field {
	out := make([]*entity.Field, len(fields))
	for i, f := range fields {
		c := *f
		c.Shape = m.shapeOf(f.Shape)
		if f.Default != nil {
			v := rewrite(f.Name, &f.Shape, *f.Default, func(_ string, _ bool, to entity.ID) entity.ID { return m.to[to] })
			c.Default = &v
		}
		out[i] = &c
	}
	return out
}

func (m *making) shapeOf(s entity.Shape) entity.Shape {
	if len(s.Fields) > 0 {
		s.Fields = m.defaultsOf(s.Fields)
	}
	if s.Of != nil {
		of := m.shapeOf(*s.Of)
		s.Of = &of
	}
	return s
}
