package entity

import (
	"fmt"
	"math"
	"slices"
)

// Upgrade returns e at its type's current revision: fields that began since
// get their defaults, and a field that ended hands its value to its successor,
// or to the field of the same name, widened if need be. It refuses, naming the
// field, to drop a value that is not the default or to narrow one, also where two
// fields would hand their values to one, or a condition leaves out what was handed
// over. An entity that is not older is returned as it is.
func Upgrade(e *Entity) (*Entity, error) {
	t := e.Layout.Type
	if t.Unknown || e.Revision() >= t.Revision {
		return e, nil
	}
	u := upgrade{e: e, n: New(e.ID, t.Current())}
	u.n.Unknown = e.Unknown
	u.given, u.claims = make([]bool, len(u.n.Values)), make([]*Field, len(u.n.Values))
	for i, f := range e.Layout.Fields {
		if err := u.hand(f, e.Values[i]); err != nil {
			return nil, err
		}
	}
	if err := u.canonicalize(); err != nil {
		return nil, err
	}
	return u.n, nil
}

// upgrade is the making of n, at the current revision, of e.
type upgrade struct {
	e, n   *Entity
	given  []bool   // by n's fields: it has a value of e's
	claims []*Field // by n's fields: whose value it has that is not the default
}

func (u *upgrade) fail(f *Field, format string, args ...any) error {
	return &FieldError{Subject: u.e.String(), Field: f.Name, Reason: fmt.Sprintf(format, args...)}
}

// hand gives the value that e has in field f to the field that has it in n.
func (u *upgrade) hand(f *Field, v Value) error {
	to := u.target(f)
	usual := v.IsNull() || v.Equal(f.DefaultValue())
	if to < 0 {
		if usual {
			return nil
		}
		return u.fail(f, "revision %d has no such field and no successor for it, and its value is not the default; declare a successor or change the value", u.n.Revision())
	}
	target := u.n.Layout.Fields[to]
	if v.IsNull() && !target.Optional {
		return nil // it has the default, as what is absent does
	}
	w, ok := Widen(v, &f.Shape, &target.Shape)
	if !ok {
		return u.fail(f, "its %s cannot become the %s of field %s at revision %d without loss", f.Kind, target.Kind, target.Name, u.n.Revision())
	}
	switch had := u.claims[to]; {
	case usual && (had != nil || u.given[to] && f.Name != target.Name):
		return nil
	case had != nil && !u.n.Values[to].Equal(w):
		return u.fail(f, "field %s of revision %d would have its value, and has another value, of field %s; change one of them", target.Name, u.n.Revision(), had.Name)
	case !usual:
		u.claims[to] = f
	}
	u.n.Values[to], u.given[to] = w, true
	return nil
}

// target returns the place in n of the field that has f's value there, or -1.
func (u *upgrade) target(f *Field) int {
	t := u.e.Layout.Type
	to := u.n.Layout.Index(f.Name)
	for name, hops := f.Successor, 0; to < 0 && name != "" && hops < len(t.Fields); hops++ {
		to = u.n.Layout.Index(name)
		name = successorOf(t, name)
	}
	return to
}

// canonicalize is n's Canonicalize that takes out no value of e's.
func (u *upgrade) canonicalize() error {
	had := slices.Clone(u.n.Values)
	u.n.Canonicalize()
	for i, f := range u.claims {
		target := u.n.Layout.Fields[i]
		if f != nil && u.n.Values[i].IsNull() && !had[i].IsNull() && !had[i].Equal(target.DefaultValue()) {
			return u.fail(f, "field %s of revision %d would have its value, and is saved only when %s; change the value or what the condition reads",
				target.Name, u.n.Revision(), target.SaveWhen)
		}
	}
	return nil
}

func successorOf(t *Type, name string) string {
	for _, f := range t.Fields {
		if f.Name == name && f.Successor != "" {
			return f.Successor
		}
	}
	return ""
}

// Widen returns v as a value of another shape, if it can be one without loss:
// an integer in a wider or other integer kind that holds it, an integer or f32
// in a float that holds it exactly, an enum by name, any value in the same
// shape, elements and members likewise.
func Widen(v Value, from, to *Shape) (Value, bool) {
	switch {
	case v.IsNull():
		if to.Optional {
			return v, true
		}
		return to.Zero(), true
	case from.Kind == KindEnum && to.Kind == KindEnum, from.Kind == KindFlags && to.Kind == KindFlags:
		return renumber(v, from, to)
	case from.Kind.IsList() && to.Kind.IsList():
		return widenItems(v, from, to)
	case from.Kind == KindStruct && to.Kind == KindStruct:
		return widenMembers(v, from, to)
	case from.Kind == to.Kind:
		return v, valueProblem(to, v) == ""
	}
	w, ok := widenNumber(v, to)
	return w, ok && valueProblem(to, w) == ""
}

func renumber(v Value, from, to *Shape) (Value, bool) {
	if from.Kind == KindEnum {
		name, named := from.NameOf(v.Int())
		if !named {
			return v, true
		}
		number, ok := to.NumberOf(name)
		return NewInt(KindEnum, number), ok
	}
	var bits uint64
	for bit := range int64(64) {
		if v.Uint()>>bit&1 == 0 {
			continue
		}
		number, ok := bit, true
		if name, named := from.NameOf(bit); named {
			number, ok = to.NumberOf(name)
		}
		if !ok {
			return v, false
		}
		bits |= 1 << number
	}
	v = NewUint(KindFlags, bits)
	return v, valueProblem(to, v) == ""
}

func widenItems(v Value, from, to *Shape) (Value, bool) {
	items := make([]Value, len(v.Items()))
	for i, item := range v.Items() {
		w, ok := Widen(item, from.Of, to.Of)
		if !ok {
			return v, false
		}
		items[i] = w
	}
	if to.Kind == KindSet {
		items, _ = SortSet(items)
	}
	return NewList(to.Kind, items), true
}

func widenMembers(v Value, from, to *Shape) (Value, bool) {
	members := to.Zero()
	if to.Optional {
		required := *to
		required.Optional = false
		members = required.Zero()
	}
	out := members.Items()
	for i, f := range from.Fields {
		place := memberIndex(to, f)
		if place < 0 {
			if v.Items()[i].Equal(f.DefaultValue()) {
				continue
			}
			return v, false
		}
		w, ok := Widen(v.Items()[i], &f.Shape, &to.Fields[place].Shape)
		if !ok {
			return v, false
		}
		out[place] = w
	}
	return NewStruct(out), true
}

func memberIndex(s *Shape, f *Field) int {
	for _, name := range []string{f.Name, f.Successor} {
		for i, m := range s.Fields {
			if m.Name == name {
				return i
			}
		}
	}
	return -1
}

// widenNumber turns a number into another kind that holds it exactly.
func widenNumber(v Value, to *Shape) (Value, bool) {
	switch k := to.Kind; {
	case v.Kind() == KindF32 && k == KindF64:
		return F64Of(float64(math.Float32frombits(v.F32()))), !isNaN(v.F32())
	case v.Kind() == KindVec3 && k == KindVec4, v.Kind() == KindVec2 && k == KindVec3, v.Kind() == KindVec2 && k == KindVec4:
		return NewVec(k, [4]uint32{v.Component(0), v.Component(1), v.Component(2), 0}), true
	case v.Kind() == KindMat3x4 && k == KindMat4:
		c := v.Components()
		c[MaxComponents-1] = math.Float32bits(1) // the last row of a matrix that moves, turns and stretches
		return NewComponents(k, c), true
	case v.Kind() == KindGUID && k == KindString:
		return NewString(v.GUID().Dashed()), true
	case v.Kind() == KindBool && (k.IsSigned() || k.IsUnsigned()):
		return Value{kind: k, bits: v.bits}, true
	}
	return widenInteger(v, to.Kind)
}

func widenInteger(v Value, k Kind) (Value, bool) {
	signed, unsigned := v.Kind().IsSigned(), v.Kind().IsUnsigned()
	if !signed && !unsigned {
		return v, false
	}
	negative := signed && v.Int() < 0
	switch {
	case k.IsSigned():
		return NewInt(k, v.Int()), (signed || v.Int() >= 0) && FitsInt(k, v.Int())
	case k.IsUnsigned():
		return NewUint(k, v.Uint()), !negative && FitsUint(k, v.Uint())
	case k == KindF64 || k == KindF32:
		return widenToFloat(v, k, signed)
	}
	return v, false
}

func widenToFloat(v Value, k Kind, signed bool) (Value, bool) {
	f := float64(v.Uint())
	exact := f < 1<<63 && uint64(f) == v.Uint()
	if signed {
		f = float64(v.Int())
		exact = math.Abs(f) < 1<<63 && int64(f) == v.Int()
	}
	if k == KindF64 {
		return F64Of(f), exact
	}
	return F32Of(float32(f)), exact && float64(float32(f)) == f
}

// isNaN reports whether bits are a NaN, whose payload has no f64 that all
// machines agree on.
func isNaN(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }

// Carry returns e under another declaration of its type, at the same revision:
// fields by name, where their values can be had without loss, all others at
// their defaults.
func Carry(e *Entity, t *Type) *Entity {
	n := New(e.ID, t.Layout(e.Revision()))
	n.Unknown = e.Unknown
	for i, f := range e.Layout.Fields {
		to := n.Layout.Index(f.Name)
		if to < 0 {
			continue
		}
		if v, ok := Widen(e.Values[i], &f.Shape, &n.Layout.Fields[to].Shape); ok {
			n.Values[to] = v
		}
	}
	n.Canonicalize()
	return n
}
