package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// rebind puts entities whose declaration is the merged one in all but identity
// under the merged one, so that they are compared value by value.
func (m *merger) rebind() {
	for _, s := range m.order {
		for _, e := range []**entity.Entity{&s.base, &s.ours, &s.theirs} {
			*e = m.bindEntity(*e)
		}
	}
}

func (m *merger) bindEntity(e *entity.Entity) *entity.Entity {
	if e == nil {
		return nil
	}
	l, known := m.layouts[e.Layout]
	if !known {
		l = m.layout(e.Layout)
		m.layouts[e.Layout] = l
	}
	if l == e.Layout {
		return e
	}
	c := *e
	c.Layout = l
	return &c
}

// layout returns the merged layout if it is the same as a side's, else the
// side's.
func (m *merger) layout(l *entity.Layout) *entity.Layout {
	merged := m.types.Get(l.Type.Name)
	if merged == nil || merged == l.Type || l.Type.Unknown {
		return l
	}
	same, known := m.bound[l.Type]
	if !known {
		same = sameType(l.Type, merged)
		m.bound[l.Type] = same
	}
	if same {
		return merged.Layout(l.Revision)
	}
	return l
}

// adopt returns a side's entity as the merged world has it: under the merged
// declaration of its type. e may be nil.
func (m *merger) adopt(e *entity.Entity) *entity.Entity {
	e = m.bindEntity(e)
	if e == nil || m.isAdopted(e) {
		return e
	}
	return m.adoptAs(e, m.types.Get(e.Type()).Layout(e.Revision()))
}

// adoptAs returns a side's entity as a layout of the merged world has it.
func (m *merger) adoptAs(e *entity.Entity, l *entity.Layout) *entity.Entity {
	v := m.view(e, l)
	out := &entity.Entity{ID: e.ID, Layout: l, Values: make([]entity.Value, len(l.Fields)), Unknown: v.raw}
	for i, f := range l.Fields {
		out.Values[i] = v.value(i, f)
	}
	for _, f := range e.Layout.Fields {
		h, homeless := v.homeless[f.Name]
		switch {
		case !homeless || !h.isSet():
		case l.Index(f.Name) >= 0: // its kind does not hold the value
			out.Unknown = append(slices.Clip(out.Unknown), h.lines()...)
		default:
			m.repair(Repair{Kind: Dropped, Field: f.Name, From: h.version(),
				Message: "its type, as the other side declares it, has no such field; the value is dropped"}.about(e))
		}
	}
	m.takeUnsaved(out, func(_ int, f *entity.Field) entity.Value { return f.DefaultValue() })
	m.keepLines(out)
	return out
}

// saved returns an entity that a side made of base without the values that its conditions do
// not save: a game and a change set may have looked at none.
func (m *merger) saved(base, e *entity.Entity) *entity.Entity {
	if e == nil {
		return nil
	}
	for i := range e.Layout.Fields {
		if !e.Values[i].IsNull() && !e.SavesField(i) {
			out, b := e.Clone(), m.view(base, e.Layout)
			m.takeUnsaved(out, b.value)
			return out
		}
	}
	return e
}

// takeUnsaved brings an entity into its one form. What is not saved, for with what else was
// changed its condition does not hold, is listed where it is not what base has.
func (m *merger) takeUnsaved(out *entity.Entity, base func(int, *entity.Field) entity.Value) {
	before := slices.Clone(out.Values)
	out.Canonicalize()
	for i, f := range out.Layout.Fields {
		if out.Values[i].IsNull() && !before[i].IsNull() && !before[i].Equal(base(i, f)) {
			m.repair(Repair{Kind: NotSaved, Field: f.Name, From: version(&f.Shape, before[i]),
				Message: "the field is not saved: its condition does not hold"}.about(out))
		}
	}
}

// isAdopted reports whether the merged world has the entity's declaration, or
// none for it.
func (m *merger) isAdopted(e *entity.Entity) bool {
	merged := m.types.Get(e.Type())
	return e.Layout.Type.Unknown || merged == nil || merged == e.Layout.Type
}

// readUndeclared reads, under the merged declaration of their type, the entities in the result
// of which a side did not know it, and those for which theirs has lines under the name of a
// field.
func (m *merger) readUndeclared() {
	for _, s := range m.order {
		if s.out == nil || m.types.Get(s.out.Type()) == nil || !s.out.Layout.Type.Unknown && !(s.byTheirs && hasFieldLines(s.out)) {
			continue
		}
		e := *textcodec.Reread(s.out, m.types)
		m.keepLines(&e)
		s.out = &e
	}
}

// declare adds the declarations that one side took away and that are needed
// after all.
func (m *merger) declare(sides ...*entity.Types) {
	for _, s := range m.order {
		if s.out == nil || s.out.Layout.Type.Unknown || m.types.Get(s.out.Type()) != nil {
			continue
		}
		for _, side := range sides {
			if side.Get(s.out.Type()) == s.out.Layout.Type {
				m.types.Put(s.out.Layout.Type)
			}
		}
	}
}
