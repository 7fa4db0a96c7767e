package expression

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/worldfs/worldfs/entity"
)

// Assignment is a value that an expression gave, and where it goes: a field's
// name, and behind it, with dots, a member of a struct or a component (x, y, z,
// w), and in brackets an element of an array or a component.
type Assignment struct {
	Path  string
	Value any
}

// Assign returns e with one assignment made. nil makes an optional value absent;
// enums and flags take names.
func Assign(e *entity.Entity, path string, x any) (*entity.Entity, error) {
	n, _, err := AssignAll(e, []Assignment{{path, x}})
	return n, err
}

// AssignAll returns e with the assignments made, all at once: a field that
// another's new value has saved may be among them. unsaved are the paths whose
// field the new values do not have saved.
func AssignAll(e *entity.Entity, assignments []Assignment) (n *entity.Entity, unsaved []string, err error) {
	n = e.Clone()
	for _, a := range assignments {
		if err := assign(n, a.Path, a.Value); err != nil {
			return nil, nil, &entity.FieldError{Subject: e.String(), Field: a.Path, Reason: err.Error()}
		}
	}
	n.Canonicalize()
	for _, a := range assignments {
		if i, _ := fieldOf(n, a.Path); n.Values[i].IsNull() && !n.SavesField(i) {
			unsaved = append(unsaved, a.Path)
		}
	}
	return n, unsaved, nil
}

func assign(e *entity.Entity, path string, x any) error {
	i, rest := fieldOf(e, path)
	if i < 0 {
		return absent(e, path)
	}
	steps, err := parseSteps(rest)
	if err != nil {
		return err
	}
	v, err := assignAt(&e.Layout.Fields[i].Shape, e.Values[i], steps, x)
	if err != nil {
		return err
	}
	e.Values[i] = v
	return nil
}

// absent returns why an entity has no field that a path begins with: its type has it at
// another revision, or not at all.
func absent(e *entity.Entity, path string) error {
	for _, f := range e.Layout.Type.Fields {
		rest, begins := strings.CutPrefix(path, f.Name)
		switch {
		case !begins || rest != "" && rest[0] != '.' && rest[0] != '[':
		case e.Layout.Begins(f.Name):
			return fmt.Errorf("%s: worldfs fmt --upgrade %d", e.Layout.WhyAbsent(f.Name), e.ID)
		default:
			return errors.New(e.Layout.WhyAbsent(f.Name))
		}
	}
	return errors.New("its type has no such field at its revision")
}

// fieldOf returns the field whose name a path begins with, the longest of
// several, and what comes behind it.
func fieldOf(e *entity.Entity, path string) (i int, rest string) {
	for name := path; ; {
		if i := e.Layout.Index(name); i >= 0 {
			return i, path[len(name):]
		}
		end := strings.LastIndexAny(name, ".[")
		if end < 0 {
			return -1, ""
		}
		name = name[:end]
	}
}

func assignAt(s *entity.Shape, old entity.Value, path []pathStep, x any) (entity.Value, error) {
	if len(path) == 0 {
		return valueOf(s, x)
	}
	if old.IsNull() {
		return old, fmt.Errorf("there is no value to change %s of; give it one first", path[0])
	}
	switch k := s.Kind; {
	case k == entity.KindStruct:
		return assignMember(s, old, path, x)
	case k == entity.KindArray:
		return assignElement(s, old, path, x)
	case k == entity.KindSet:
		return old, errors.New("a set has no order in which its elements could be set: set all of it")
	case k != entity.KindF32 && k.Components() > 0 && len(path) == 1:
		return assignComponent(old, path[0], x)
	}
	return old, fmt.Errorf("a %s has no part %s", s.Kind, path[0])
}

func assignMember(s *entity.Shape, old entity.Value, path []pathStep, x any) (entity.Value, error) {
	for i, f := range s.Fields {
		if path[0].indexed || f.Name != path[0].name {
			continue
		}
		m, err := assignAt(&f.Shape, old.Items()[i], path[1:], x)
		if err != nil {
			return old, err
		}
		return entity.NewStruct(replacedItem(old.Items(), i, m)), nil
	}
	return old, fmt.Errorf("the struct has no member %s", path[0])
}

func assignElement(s *entity.Shape, old entity.Value, path []pathStep, x any) (entity.Value, error) {
	items := old.Items()
	i, err := path[0].in(len(items), "elements")
	if err != nil {
		return old, err
	}
	v, err := assignAt(s.Of, items[i], path[1:], x)
	if err != nil {
		return old, err
	}
	if key := s.KeyIndex(); key >= 0 && hasKey(items, key, i, v) {
		return old, fmt.Errorf("another element has the same %s", s.Key)
	}
	return entity.NewList(entity.KindArray, replacedItem(items, i, v)), nil
}

// hasKey reports whether an element but the one at a place has the key of v.
func hasKey(items []entity.Value, key, except int, v entity.Value) bool {
	for i, item := range items {
		if i != except && !v.IsNull() && !item.IsNull() && item.Items()[key].Equal(v.Items()[key]) {
			return true
		}
	}
	return false
}

func replacedItem(items []entity.Value, i int, v entity.Value) []entity.Value {
	out := append([]entity.Value(nil), items...)
	out[i] = v
	return out
}

func assignComponent(old entity.Value, step pathStep, x any) (entity.Value, error) {
	n := old.Kind().Components()
	i, ok := componentNamed(step.name, n)
	var err error
	if step.indexed {
		i, err = step.in(n, "components")
	} else if !ok {
		err = fmt.Errorf("a %s has no part %s", old.Kind(), step)
	}
	if err != nil {
		return old, err
	}
	f, err := floatValue(entity.KindF32, x)
	if err != nil {
		return old, err
	}
	c := old.Components()
	c[i] = f.F32()
	return entity.NewComponents(old.Kind(), c), nil
}

// valueOf returns what an expression gave as a value of the shape.
func valueOf(s *entity.Shape, x any) (entity.Value, error) {
	if x == nil {
		if !s.Optional {
			return entity.Value{}, fmt.Errorf("it is not optional, so it cannot be nil")
		}
		return entity.Value{}, nil
	}
	switch k := s.Kind; {
	case k == entity.KindEnum || k == entity.KindFlags:
		return namedValue(s, x)
	case k.IsSigned() || k.IsUnsigned():
		return integerValue(k, x)
	case k == entity.KindF32 || k == entity.KindF64:
		return floatValue(k, x)
	case k.Components() > 0:
		return vectorValue(k, x)
	case k.IsList():
		return listValue(s, x)
	case k == entity.KindStruct:
		return structValue(s, x)
	case k == entity.KindBool:
		if b, ok := x.(bool); ok {
			return entity.NewBool(b), nil
		}
	case k == entity.KindString:
		if t, ok := x.(string); ok && utf8.ValidString(t) {
			return entity.NewString(t), nil
		}
	case k == entity.KindExpr:
		return sourceValue(s, x)
	case k == entity.KindBlob:
		if t, ok := x.(string); ok {
			return entity.NewBlob(t), nil
		}
	case k == entity.KindGUID:
		return guidValue(x)
	}
	return entity.Value{}, cannotBe(x, s.Kind)
}

// sourceValue takes an expression's source from a text, or a number for one that is
// constant.
func sourceValue(s *entity.Shape, x any) (entity.Value, error) {
	t, ok := x.(string)
	if f, isFloat := floatOf(x); !ok && isFloat {
		t, ok = strconv.FormatFloat(f, 'g', -1, 64), true
	}
	if !ok {
		return entity.Value{}, cannotBe(x, s.Kind)
	}
	v := entity.NewExpr(strings.Trim(t, " \t"))
	return v, s.Check(v)
}

func cannotBe(x any, k entity.Kind) error {
	if t, ok := x.(string); ok {
		return fmt.Errorf("%q is no %s", clip(t), k)
	}
	return fmt.Errorf("%s is no %s", described(x), k)
}

// MaxExact is up to where each whole number is a float that stands for no other:
// beyond it a float is no whole number that could be told exactly.
const MaxExact = 1 << 53

// integerValue takes a whole number, or a float that is one for certain.
func integerValue(k entity.Kind, x any) (entity.Value, error) {
	w, ok := wholeOf(x)
	if f, isFloat := floatOf(x); !ok && isFloat {
		switch w, ok = wholeFloat(f); {
		case math.IsNaN(f):
			return entity.Value{}, errors.New("NaN is no whole number")
		case !ok && math.Abs(f) >= 1<<63: // round and int make none of it, either
			return entity.Value{}, fmt.Errorf("%v is beyond the range of %s", f, k)
		case !ok:
			return entity.Value{}, fmt.Errorf("%v is no whole number; round() or int() makes one", f)
		case math.Abs(f) > MaxExact:
			return entity.Value{}, fmt.Errorf("%v is a float, which beyond 2^53 is not exact; int() takes it for the number", f)
		}
	}
	if !ok {
		return entity.Value{}, cannotBe(x, k)
	}
	i, fits := w.int64()
	if k.IsUnsigned() {
		u, unsigned := w.uint64()
		if unsigned && entity.FitsUint(k, u) {
			return entity.NewUint(k, u), nil
		}
	} else if fits && entity.FitsInt(k, i) {
		return entity.NewInt(k, i), nil
	}
	return entity.Value{}, fmt.Errorf("%v is beyond the range of %s", w, k)
}

// floatValue takes any number, and rounds it once. A NaN that was only copied
// stays what it was, a computed one is the same on every machine.
func floatValue(k entity.Kind, x any) (entity.Value, error) {
	odd, isOdd := x.(oddFloat)
	f, ok := floatOf(x)
	switch {
	case !ok:
		return entity.Value{}, cannotBe(x, k)
	case k == entity.KindF64 && isOdd:
		return entity.NewF64(uint64(odd)), nil
	case k == entity.KindF64:
		return entity.NewF64(bits64(f)), nil
	case isOdd:
		return entity.NewF32(odd.f32()), nil
	case math.IsInf(float64(float32(f)), 0) && !math.IsInf(f, 0):
		return entity.Value{}, fmt.Errorf("%v is beyond the range of f32", f)
	}
	return entity.NewF32(bits32(f)), nil
}

// vectorValue takes a vector, a list of components or a map of them by name; a
// matrix is a list.
func vectorValue(k entity.Kind, x any) (entity.Value, error) {
	parts, ok := listOf(x)
	if m, isMap := x.(map[string]any); isMap && !k.IsMatrix() {
		ok = true
		for _, name := range componentNames[:k.Components()] {
			parts = append(parts, m[name])
		}
	}
	switch {
	case !ok:
		return entity.Value{}, cannotBe(x, k)
	case len(parts) != k.Components():
		return entity.Value{}, fmt.Errorf("a %s has %d components, not %d", k, k.Components(), len(parts))
	}
	var c [entity.MaxComponents]uint32
	for i, part := range parts {
		f, err := floatValue(entity.KindF32, part)
		if err != nil {
			return entity.Value{}, err
		}
		c[i] = f.F32()
	}
	return entity.NewComponents(k, c), nil
}

func namedValue(s *entity.Shape, x any) (entity.Value, error) {
	if name, ok := x.(string); ok {
		n, ok := s.NumberOf(name)
		if !ok {
			return entity.Value{}, fmt.Errorf("%q is none of its names", name)
		}
		if s.Kind == entity.KindFlags {
			return entity.NewUint(entity.KindFlags, 1<<n), nil
		}
		return entity.NewInt(entity.KindEnum, n), nil
	}
	if w, ok := wholeOf(x); ok {
		v, err := integerValue(s.Kind, w.value())
		if err == nil {
			err = s.Check(v)
		}
		return v, err
	}
	if names, ok := listOf(x); ok && s.Kind == entity.KindFlags {
		return flagsValue(s, names)
	}
	return entity.Value{}, cannotBe(x, s.Kind)
}

func flagsValue(s *entity.Shape, names []any) (entity.Value, error) {
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
	v := entity.NewUint(entity.KindFlags, bits)
	return v, s.Check(v)
}

func listValue(s *entity.Shape, x any) (entity.Value, error) {
	list, ok := listOf(x)
	if !ok {
		return entity.Value{}, cannotBe(x, s.Kind)
	}
	items := make([]entity.Value, len(list))
	for i, element := range list {
		v, err := valueOf(s.Of, element)
		if err != nil {
			return v, fmt.Errorf("element %d: %w", i+1, err)
		}
		items[i] = v
	}
	if s.Kind == entity.KindSet {
		items, _ = entity.SortSet(items)
	}
	return entity.NewList(s.Kind, items), nil
}

func structValue(s *entity.Shape, x any) (entity.Value, error) {
	m, ok := x.(map[string]any)
	if !ok {
		return entity.Value{}, cannotBe(x, entity.KindStruct)
	}
	members := make([]entity.Value, len(s.Fields))
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
		return entity.Value{}, fmt.Errorf("the struct has not all of these members")
	}
	return entity.NewStruct(members), nil
}

func guidValue(x any) (entity.Value, error) {
	text, ok := x.(string)
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if !ok || err != nil || len(raw) != 16 {
		return entity.Value{}, cannotBe(x, entity.KindGUID)
	}
	return entity.NewGUID(entity.GUID(raw)), nil
}
