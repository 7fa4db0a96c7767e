package entity

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Assign returns e with the value that an expression gave at a path: a field's
// name, and behind it, with dots, a member of a struct or a component (x, y, z,
// w). nil makes an optional value absent; enums and flags take names.
func (e *Entity) Assign(path string, x any) (*Entity, error) {
	i, rest := e.fieldOf(path)
	if i < 0 {
		return nil, &FieldError{Subject: e.String(), Field: path, Reason: "its type has no such field at its revision"}
	}
	f := e.Layout.Fields[i]
	v, err := assignAt(&f.Shape, e.Values[i], rest, x)
	if err != nil {
		return nil, &FieldError{Subject: e.String(), Field: path, Reason: err.Error()}
	}
	n := e.Clone()
	n.Values[i] = v
	n.Canonicalize()
	return n, nil
}

// fieldOf returns the field whose name a path begins with, the longest of
// several, and what comes behind it.
func (e *Entity) fieldOf(path string) (i int, rest []string) {
	for name := path; ; {
		if i := e.Layout.Index(name); i >= 0 {
			if behind := strings.TrimPrefix(path[len(name):], "."); behind != "" {
				rest = strings.Split(behind, ".")
			}
			return i, rest
		}
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 {
			return -1, nil
		}
		name = name[:dot]
	}
}

func assignAt(s *Shape, old Value, path []string, x any) (Value, error) {
	if len(path) == 0 {
		return valueOf(s, x)
	}
	if old.IsNull() {
		return old, fmt.Errorf("there is no value to change %s of; give it one first", path[0])
	}
	if s.Kind == KindStruct {
		return assignMember(s, old, path, x)
	}
	for i := range min(s.Kind.Components(), len(componentNames)) {
		if s.Kind != KindF32 && !s.Kind.IsMatrix() && len(path) == 1 && componentNames[i] == path[0] {
			c, err := valueOf(&Shape{Kind: KindF32}, x)
			if err != nil {
				return old, err
			}
			return withComponent(old, i, c.F32()), nil
		}
	}
	return old, fmt.Errorf("a %s has no part %q", s.Kind, path[0])
}

func assignMember(s *Shape, old Value, path []string, x any) (Value, error) {
	for i, f := range s.Fields {
		if f.Name != path[0] {
			continue
		}
		m, err := assignAt(&f.Shape, old.Items()[i], path[1:], x)
		if err != nil {
			return old, err
		}
		members := append([]Value(nil), old.Items()...)
		members[i] = m
		return NewStruct(members), nil
	}
	return old, fmt.Errorf("the struct has no member %q", path[0])
}

func withComponent(v Value, i int, bits uint32) Value {
	var c [4]uint32
	for k := range c {
		c[k] = v.Component(k)
	}
	c[i] = bits
	return NewVec(v.Kind(), c)
}

// valueOf returns what an expression gave as a value of the shape.
func valueOf(s *Shape, x any) (Value, error) {
	if x == nil {
		if !s.Optional {
			return Value{}, fmt.Errorf("it is not optional, so it cannot be nil")
		}
		return Value{}, nil
	}
	switch k := s.Kind; {
	case k == KindEnum || k == KindFlags:
		return namedValue(s, x)
	case k.IsSigned() || k.IsUnsigned():
		return integerValue(k, x)
	case k == KindF32 || k == KindF64:
		return floatValue(k, x)
	case k.Components() > 0:
		return vectorValue(k, x)
	case k.IsList():
		return listValue(s, x)
	case k == KindStruct:
		return structValue(s, x)
	case k == KindBool:
		if b, ok := x.(bool); ok {
			return NewBool(b), nil
		}
	case k == KindString:
		if t, ok := x.(string); ok && utf8.ValidString(t) {
			return NewString(t), nil
		}
	case k == KindBlob:
		if t, ok := x.(string); ok {
			return NewBlob(t), nil
		}
	case k == KindGUID:
		return guidValue(x)
	}
	return Value{}, cannotBe(x, s.Kind)
}

func cannotBe(x any, k Kind) error { return fmt.Errorf("%v (%T) is no %s", x, x, k) }

func integerValue(k Kind, x any) (Value, error) {
	f, ok := number(x)
	if i, whole := x.(int); whole {
		if k.IsSigned() && FitsInt(k, int64(i)) {
			return NewInt(k, int64(i)), nil
		}
		if k.IsUnsigned() && i >= 0 && FitsUint(k, uint64(i)) {
			return NewUint(k, uint64(i)), nil
		}
		return Value{}, fmt.Errorf("%d is beyond the range of %s", i, k)
	}
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<62 {
		return Value{}, fmt.Errorf("%v is no whole number; round() or int() makes one", x)
	}
	return integerValue(k, int(f))
}

func number(x any) (float64, bool) {
	switch n := x.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}

func floatValue(k Kind, x any) (Value, error) {
	f, ok := number(x)
	switch {
	case !ok:
		return Value{}, cannotBe(x, k)
	case k == KindF64:
		return F64Of(f), nil
	case math.IsInf(float64(float32(f)), 0) && !math.IsInf(f, 0):
		return Value{}, fmt.Errorf("%v is beyond the range of f32", f)
	}
	return F32Of(float32(f)), nil
}

// vectorValue takes a list of components or a map of them by name, as
// expressions have vectors; a matrix is a list.
func vectorValue(k Kind, x any) (Value, error) {
	var c [MaxComponents]uint32
	for i := range k.Components() {
		var part any
		switch v := x.(type) {
		case []any:
			if len(v) != k.Components() {
				return Value{}, fmt.Errorf("a %s has %d components, not %d", k, k.Components(), len(v))
			}
			part = v[i]
		case map[string]any:
			if k.IsMatrix() {
				return Value{}, cannotBe(x, k)
			}
			part = v[componentNames[i]]
		default:
			return Value{}, cannotBe(x, k)
		}
		f, err := floatValue(KindF32, part)
		if err != nil {
			return Value{}, err
		}
		c[i] = f.F32()
	}
	return NewComponents(k, c), nil
}

func namedValue(s *Shape, x any) (Value, error) {
	switch v := x.(type) {
	case string:
		n, ok := s.NumberOf(v)
		if !ok {
			return Value{}, fmt.Errorf("%q is none of its names", v)
		}
		if s.Kind == KindFlags {
			return NewUint(KindFlags, 1<<n), nil
		}
		return NewInt(KindEnum, n), nil
	case []any:
		if s.Kind == KindFlags {
			return flagsValue(s, v)
		}
	case int:
		return integerValue(s.Kind, v)
	}
	return Value{}, cannotBe(x, s.Kind)
}

func flagsValue(s *Shape, names []any) (Value, error) {
	var bits uint64
	for _, name := range names {
		if bit, ok := name.(int); ok && bit >= 0 && bit < 64 {
			bits |= 1 << bit
			continue
		}
		v, err := namedValue(s, name)
		if err != nil {
			return v, err
		}
		bits |= v.Uint()
	}
	v := NewUint(KindFlags, bits)
	if reason := valueProblem(s, v); reason != "" {
		return v, fmt.Errorf("%s", reason)
	}
	return v, nil
}

func listValue(s *Shape, x any) (Value, error) {
	list, ok := x.([]any)
	if !ok {
		return Value{}, cannotBe(x, s.Kind)
	}
	items := make([]Value, len(list))
	for i, element := range list {
		v, err := valueOf(s.Of, element)
		if err != nil {
			return v, fmt.Errorf("element %d: %w", i+1, err)
		}
		items[i] = v
	}
	if s.Kind == KindSet {
		items, _ = SortSet(items)
	}
	return NewList(s.Kind, items), nil
}

func structValue(s *Shape, x any) (Value, error) {
	m, ok := x.(map[string]any)
	if !ok {
		return Value{}, cannotBe(x, KindStruct)
	}
	members := make([]Value, len(s.Fields))
	known := 0
	for i, f := range s.Fields {
		part, given := m[f.Name]
		if !given {
			members[i] = f.DefaultValue()
			continue
		}
		known++
		v, err := valueOf(&f.Shape, part)
		if err != nil {
			return v, fmt.Errorf("member %s: %w", f.Name, err)
		}
		members[i] = v
	}
	if known != len(m) {
		return Value{}, fmt.Errorf("the struct has not all of these members")
	}
	return NewStruct(members), nil
}

func guidValue(x any) (Value, error) {
	text, ok := x.(string)
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if !ok || err != nil || len(raw) != 16 {
		return Value{}, cannotBe(x, KindGUID)
	}
	return NewGUID(GUID(raw)), nil
}
