package merge

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// view is an entity seen through the layout of another: another type,
// revision or declaration.
type view struct {
	values   []entity.Value  // by the target's fields
	shapes   []*entity.Shape // nil: the target's; else those that the entity's own layout has, nil where it has none
	homeless map[string]homeless
	raw      []entity.Raw
}

// homeless is a value for which the target has no field, or none that holds it.
type homeless struct {
	field *entity.Field
	value entity.Value
}

// isSet reports whether there is something to be lost.
func (h homeless) isSet() bool {
	return h.field != nil && !h.value.IsNull() && !h.value.Equal(h.field.DefaultValue())
}

func (h homeless) is(o homeless) bool {
	return h.isSet() == o.isSet() && (!h.isSet() || h.value.Equal(o.value) || h.becomes(o) || o.becomes(h))
}

// becomes reports whether the value is another's of another kind.
func (h homeless) becomes(o homeless) bool {
	v, ok := entity.Widen(h.value, &h.field.Shape, &o.field.Shape)
	return ok && v.Equal(o.value)
}

// lines returns the value as lines, none if there is nothing to be lost.
func (h homeless) lines() []entity.Raw {
	if !h.isSet() {
		return nil
	}
	return []entity.Raw{textcodec.Lines(h.field, &h.value)}
}

// ownValue returns what an entity has of a field, as its own layout has it; e may be nil.
func ownValue(e *entity.Entity, name string) homeless {
	if e == nil || e.Layout.Index(name) < 0 {
		return homeless{}
	}
	i := e.Layout.Index(name)
	return homeless{e.Layout.Fields[i], e.Values[i]}
}

func (h homeless) version() Version {
	if h.field == nil {
		return Version{}
	}
	return version(&h.field.Shape, h.value)
}

// lesserNamed returns one of two that are the same, whichever side is called ours:
// their declarations may name the bits of flags, or the number of an enum, differently.
func lesserNamed(a, b homeless) homeless {
	if b.version().String() < a.version().String() {
		return b
	}
	return a
}

// value returns the value of field i of the target. A field that the entity
// does not have yet is at its default.
func (v *view) value(i int, f *entity.Field) entity.Value {
	switch {
	case v.values == nil:
		return entity.Value{}
	case !v.has(i):
		return f.DefaultValue()
	}
	return v.values[i]
}

// has reports whether the entity's own layout has field i of the target. What
// is no entity counts as having it: null.
func (v *view) has(i int) bool { return v.shapes == nil || v.shapes[i] != nil }

// view returns e as the target has it; e may be nil.
func (m *merger) view(e *entity.Entity, target *entity.Layout) view {
	if e == nil {
		return view{}
	}
	if e.Layout == target {
		return view{values: e.Values, raw: e.Unknown}
	}
	v := view{
		values:   make([]entity.Value, len(target.Fields)),
		shapes:   make([]*entity.Shape, len(target.Fields)),
		homeless: make(map[string]homeless),
	}
	housed := make([]bool, len(e.Layout.Fields))
	for i, from := range m.sources(e.Layout, target) {
		if from.shape == nil {
			continue
		}
		if w, ok := fit(e.Values[from.field], from.shape, target.Fields[i]); ok {
			v.values[i], v.shapes[i], housed[from.field] = w, from.shape, true
		}
	}
	for i, f := range e.Layout.Fields {
		if !housed[i] {
			v.homeless[f.Name] = homeless{f, e.Values[i]}
		}
	}
	v.readLines(e, target)
	return v
}

// readLines takes the lines of fields that are unknown to the entity's own
// layout: as their values where the target has the fields and the lines are
// values, else as lines.
func (v *view) readLines(e *entity.Entity, target *entity.Layout) {
	v.raw = slices.DeleteFunc(slices.Clone(e.Unknown), func(r entity.Raw) bool {
		i := target.Index(r.Name)
		return i >= 0 && v.shapes[i] == nil && v.readField(i, e, target)
	})
}

// readField reports whether the entity's lines of field i of the target are its
// value. Lines that stand twice are none.
func (v *view) readField(i int, e *entity.Entity, target *entity.Layout) bool {
	f := target.Fields[i]
	lines := &entity.Entity{ID: e.ID, Layout: entity.UnknownType(target.Type.Name).Layout(target.Revision)}
	for _, r := range e.Unknown {
		if r.Name == f.Name {
			lines.Unknown = append(lines.Unknown, r)
		}
	}
	read := textcodec.Carry(lines, target.Type)
	if len(read.Unknown) > 0 {
		return false
	}
	v.values[i], v.shapes[i] = read.Values[i], &f.Shape
	return true
}

// fit returns a value of a shape as a field has it.
func fit(v entity.Value, from *entity.Shape, to *entity.Field) (entity.Value, bool) {
	if from == &to.Shape || v.IsNull() && (to.Optional || to.SaveWhen != "") {
		return v, true
	}
	return entity.Widen(v, from, &to.Shape)
}

// layouts is a pair of them.
type layouts struct{ from, to *entity.Layout }

// source is the field of a layout that has the value of a field of another.
type source struct {
	field int
	shape *entity.Shape // with the successors of its members; nil: there is no such field
}

// sources returns for each field of a layout the field of another that has its
// value: that of its name, else one that it is the successor of, else its own
// successor.
func (m *merger) sources(from, to *entity.Layout) []source {
	if known, ok := m.places[layouts{from, to}]; ok {
		return known
	}
	out := make([]source, len(to.Fields))
	used := make([]bool, len(from.Fields))
	take := func(i, place int) {
		out[i] = source{place, linked(&from.Fields[place].Shape, declared(to.Type, from.Fields[place].Name))}
		used[place] = true
	}
	for i, f := range to.Fields {
		if place := from.Index(f.Name); place >= 0 {
			take(i, place)
		}
	}
	if from.Type.Name == to.Type.Name {
		for place, f := range from.Fields {
			if i := successor(f, from.Type, to); !used[place] && i >= 0 && out[i].shape == nil {
				take(i, place)
			}
		}
		for i, f := range to.Fields {
			if place := successor(f, to.Type, from); out[i].shape == nil && place >= 0 {
				take(i, place)
			}
		}
	}
	m.places[layouts{from, to}] = out
	return out
}

// successor follows the successors that either declaration of the type gives a
// field to one that the layout has.
func successor(f *entity.Field, typ *entity.Type, to *entity.Layout) int {
	name := f.Name
	for range len(typ.Fields) + len(to.Type.Fields) {
		next := ""
		for _, g := range append(append([]*entity.Field(nil), to.Type.Fields...), typ.Fields...) {
			if g.Name == name && g.Successor != "" {
				next = g.Successor
				break
			}
		}
		if next == "" {
			return -1
		}
		if place := to.Index(next); place >= 0 {
			return place
		}
		name = next
	}
	return -1
}
