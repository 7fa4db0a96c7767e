package entity

import (
	"math"
	"slices"
)

// Shape is what a value looks like: its kind and, for kinds made over other
// kinds, what it is made of.
type Shape struct {
	Kind     Kind
	Optional bool     // the value may be null
	Direct   bool     // ref: the child follows its parent (a mount parent)
	Names    []Name   // enum: its names; flags: its bits' names
	Vars     []string // expr: the variables that it may have
	Of       *Shape   // set, array: an element
	Fields   []*Field // struct: its members
	Key      string   // array of structs: the member that tells elements apart; "" for none
}

// Name is one name of an enum or of a flag.
type Name struct {
	Name   string
	Number int64 // the enum's value, or the flag's bit, 0 to 63
}

// NameOf returns the name of an enum's value or of a flag's bit.
func (s *Shape) NameOf(number int64) (string, bool) {
	if n := int(number); n >= 0 && n < len(s.Names) && s.Names[n].Number == number {
		return s.Names[n].Name, true
	}
	for i := range s.Names {
		if s.Names[i].Number == number {
			return s.Names[i].Name, true
		}
	}
	return "", false
}

// NumberOf returns the value or the bit of that name.
func (s *Shape) NumberOf(name string) (int64, bool) {
	for i := range s.Names {
		if s.Names[i].Name == name {
			return s.Names[i].Number, true
		}
	}
	return 0, false
}

// WideFlags reports whether flags of this shape have a bit beyond the 32nd.
func (s *Shape) WideFlags() bool {
	return slices.ContainsFunc(s.Names, func(n Name) bool { return n.Number >= 32 })
}

// KeyIndex returns the place of the key among the element's members, or -1
// where the shape is no keyed array.
func (s *Shape) KeyIndex() int {
	if s.Key == "" || s.Of == nil {
		return -1
	}
	return slices.IndexFunc(s.Of.Fields, func(f *Field) bool { return f.Name == s.Key })
}

// Zero returns the shape's value when none was given: null where it is
// optional, else zero (an expression: 0), false, empty, no rotation, the identity
// of matrices, and the defaults of members.
func (s *Shape) Zero() Value {
	if s.Optional {
		return Value{}
	}
	switch {
	case s.Kind == KindQuat:
		return VecOf(KindQuat, 0, 0, 0, 1)
	case s.Kind.IsMatrix():
		return identity(s.Kind)
	case s.Kind == KindExpr:
		return NewExpr("0")
	case s.Kind == KindStruct:
		members := make([]Value, len(s.Fields))
		for i, f := range s.Fields {
			members[i] = f.DefaultValue()
		}
		return NewStruct(members)
	}
	return Value{kind: s.Kind}
}

// identity returns the matrix that moves and turns nothing.
func identity(k Kind) Value {
	var c [MaxComponents]uint32
	for row := range k.Components() / 4 {
		c[4*row+row] = math.Float32bits(1)
	}
	return NewComponents(k, c)
}

// Declares reports whether the shape, an element or a member of it at any depth
// is of a kind for which is is true.
func (s *Shape) Declares(is func(Kind) bool) bool {
	return is(s.Kind) || s.Of != nil && s.Of.Declares(is) ||
		slices.ContainsFunc(s.Fields, func(f *Field) bool { return f.Shape.Declares(is) })
}

// at returns the shape as it is at a revision: itself unless a struct in it
// has members that began later or ended before.
func (s *Shape) at(revision uint32) *Shape {
	switch s.Kind {
	case KindSet, KindArray:
		of := s.Of.at(revision)
		if of == s.Of {
			return s
		}
		c := *s
		c.Of = of
		return &c
	case KindStruct:
		fields := fieldsAt(s.Fields, revision)
		if slices.Equal(fields, s.Fields) {
			return s
		}
		c := *s
		c.Fields = fields
		return &c
	}
	return s
}

// fieldsAt returns those of the fields that exist at a revision, each as it is
// then.
func fieldsAt(fields []*Field, revision uint32) []*Field {
	out := make([]*Field, 0, len(fields))
	for _, f := range fields {
		if !f.ExistsAt(revision) {
			continue
		}
		if shape := f.Shape.at(revision); shape != &f.Shape {
			c := *f
			c.Shape = *shape
			if f.Default != nil {
				v := f.Shape.valueAt(*f.Default, revision)
				c.Default = &v
			}
			f = &c
		}
		out = append(out, f)
	}
	return out
}

// valueAt returns a value of the shape as it is at a revision: without the
// members that its structs do not have then.
func (s *Shape) valueAt(v Value, revision uint32) Value {
	switch {
	case v.kind.IsList():
		items := make([]Value, len(v.list))
		for i := range items {
			items[i] = s.Of.valueAt(v.list[i], revision)
		}
		return NewList(v.kind, items)
	case v.kind == KindStruct:
		members := make([]Value, 0, len(v.list))
		for i, f := range s.Fields {
			if f.ExistsAt(revision) {
				members = append(members, f.Shape.valueAt(v.list[i], revision))
			}
		}
		return NewStruct(members)
	}
	return v
}
