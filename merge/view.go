package merge

import "github.com/worldfs/worldfs/entity"

// view is an entity seen through the layout of another: another type,
// revision or declaration.
type view struct {
	values   []entity.Value // by the target's fields
	has      []bool         // nil: all; else which of them the entity's own layout has
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
	return h.isSet() == o.isSet() && (!h.isSet() || h.value.Equal(o.value))
}

func (h homeless) version() Version {
	if h.field == nil {
		return Version{}
	}
	return version(&h.field.Shape, h.value)
}

// value returns the value of field i of the target. A field that the entity
// does not have yet is at its default.
func (v *view) value(i int, f *entity.Field) entity.Value {
	switch {
	case v.values == nil:
		return entity.Value{}
	case v.has != nil && !v.has[i]:
		return f.DefaultValue()
	}
	return v.values[i]
}

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
		has:      make([]bool, len(target.Fields)),
		homeless: make(map[string]homeless),
	}
	places := m.correspondence(e.Layout, target)
	for i, f := range e.Layout.Fields {
		if to := places[i]; to >= 0 {
			if w, ok := fit(e.Values[i], f, target.Fields[to]); ok {
				v.values[to], v.has[to] = w, true
				continue
			}
		}
		v.homeless[f.Name] = homeless{f, e.Values[i]}
	}
	for _, raw := range e.Unknown {
		if target.Index(raw.Name) < 0 {
			v.raw = append(v.raw, raw)
		}
	}
	return v
}

// fit returns a value as another field has it.
func fit(v entity.Value, from, to *entity.Field) (entity.Value, bool) {
	if from == to || v.IsNull() && (to.Optional || to.SaveWhen != "") {
		return v, true
	}
	return entity.Widen(v, &from.Shape, &to.Shape)
}

// layouts is a pair of them.
type layouts struct{ from, to *entity.Layout }

// correspondence returns for each field of a layout the place of the field in
// another that has its value: that of its name, else of its successor; -1 if
// there is none.
func (m *merger) correspondence(from, to *entity.Layout) []int {
	if places, known := m.places[layouts{from, to}]; known {
		return places
	}
	places := make([]int, len(from.Fields))
	taken := make(map[int]bool)
	for i, f := range from.Fields {
		places[i] = to.Index(f.Name)
		taken[places[i]] = true
	}
	for i, f := range from.Fields {
		if places[i] >= 0 || from.Type.Name != to.Type.Name {
			continue
		}
		if place := successor(f, from.Type, to); place >= 0 && !taken[place] {
			places[i], taken[place] = place, true
		}
	}
	m.places[layouts{from, to}] = places
	return places
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
