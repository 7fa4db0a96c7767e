package entity

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrInvalid marks every error that Validate returns.
var ErrInvalid = errors.New("invalid")

// FieldError says what is wrong with one field of a type or of an entity.
type FieldError struct {
	Subject string // the type, or the entity as messages name it
	Field   string // the field; members of structs with dots
	Reason  string
	Missing string // the name of a field that the type does not have, if that is what is wrong
}

func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.Subject + ": " + e.Reason
	}
	return fmt.Sprintf("%s, field %s: %s", e.Subject, e.Field, e.Reason)
}

// Unwrap makes every FieldError an ErrInvalid.
func (e *FieldError) Unwrap() error { return ErrInvalid }

// MaxDepth is how deep kinds may be made over kinds: arrays of structs with
// arrays and so on.
const MaxDepth = 16

// Validate reports the first thing that is wrong with the type's declaration.
// A type that passes can be used in every format.
func (t *Type) Validate() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := validator{subject: t.subject(), compile: t.condition}
	if reason := nameProblem(t.Name); reason != "" {
		return v.fail("", "the type's name %s", reason)
	}
	if err := v.fields("", t.Fields, 0); err != nil {
		return err
	}
	for _, f := range t.Fields {
		if f.Successor != "" && !slices.ContainsFunc(t.Fields, func(o *Field) bool { return o.Name == f.Successor }) {
			return v.missing(f.Successor, f.Name, "its successor %q is no field of the type")
		}
	}
	if t.Label != "" && !slices.ContainsFunc(t.Fields, func(f *Field) bool {
		return f.Name == t.Label && f.Kind == KindString
	}) {
		return v.missing(t.Label, "", "label %q is no string field of the type")
	}
	return v.mount(t)
}

// subject returns the type as messages name it.
func (t *Type) subject() string { return "type " + strconv.Quote(clip(t.Name)) }

type validator struct {
	subject string
	compile func(source string) (Condition, error)
}

func (v validator) fail(field, format string, args ...any) error {
	return &FieldError{Subject: v.subject, Field: field, Reason: fmt.Sprintf(format, args...)}
}

// missing fails for the name of a field, which the format quotes.
func (v validator) missing(name, field, format string) error {
	return &FieldError{Subject: v.subject, Field: field, Reason: fmt.Sprintf(format, name), Missing: name}
}

func (v validator) fields(path string, fields []*Field, depth int) error {
	for i, f := range fields {
		if reason := nameProblem(f.Name); reason != "" {
			return v.fail(path+clip(f.Name), "the field's name %s", reason)
		}
		name := path + f.Name
		if f.Until != 0 && f.Until <= f.Since {
			return v.fail(name, "it ends at revision %d, not after it began at %d", f.Until, f.Since)
		}
		for _, o := range fields[:i] {
			if o.Name == f.Name && overlap(o, f) {
				return v.fail(name, "it is declared twice for the same revisions")
			}
		}
		if err := v.field(name, f, depth); err != nil {
			return err
		}
	}
	return nil
}

func (v validator) field(name string, f *Field, depth int) error {
	if err := v.shape(name, &f.Shape, depth); err != nil {
		return err
	}
	for _, source := range []string{f.SaveWhen, f.InsignificantWhen} {
		if source == "" {
			continue
		}
		if _, err := v.compile(source); err != nil {
			return v.fail(name, "%v", err)
		}
	}
	if f.Default != nil {
		if reason := valueProblem(&f.Shape, *f.Default); reason != "" {
			return v.fail(name, "its default: %s", reason)
		}
	}
	return nil
}

// overlap reports whether some revision has both fields.
func overlap(a, b *Field) bool {
	return (a.Until == 0 || b.Since < a.Until) && (b.Until == 0 || a.Since < b.Until)
}

func (v validator) shape(name string, s *Shape, depth int) error {
	if depth > MaxDepth {
		return v.fail(name, "it is nested more than %d deep", MaxDepth)
	}
	if s.Kind == KindNull || int(s.Kind) >= len(kindNames) {
		return v.fail(name, "it has no kind")
	}
	if s.Direct && s.Kind != KindRef {
		return v.fail(name, "only a ref can be direct")
	}
	if err := v.names(name, s); err != nil {
		return err
	}
	if err := v.vars(name, s); err != nil {
		return err
	}
	if s.Kind.IsList() != (s.Of != nil) {
		return v.fail(name, "a set or an array, and nothing else, needs \"of\": what its elements are")
	}
	if s.Key != "" && s.KeyIndex() < 0 {
		return v.fail(name, "its key %q is no member of its elements", s.Key)
	}
	switch s.Kind {
	case KindSet:
		if !s.Of.Kind.IsScalar() || s.Of.Optional {
			return v.fail(name, "a set's elements are single values that are not optional, not %s", s.Of.Kind)
		}
		return v.shape(name, s.Of, depth+1)
	case KindArray:
		return v.array(name, s, depth)
	case KindStruct:
		if len(s.Fields) == 0 {
			return v.fail(name, "a struct needs fields")
		}
		return v.fields(name+".", s.Fields, depth+1)
	}
	if len(s.Fields) != 0 {
		return v.fail(name, "only a struct has fields")
	}
	return nil
}

func (v validator) array(name string, s *Shape, depth int) error {
	if s.Key != "" {
		key := s.Of.Fields[s.KeyIndex()]
		if !key.Kind.IsScalar() || key.Optional || key.Since != 0 || key.Until != 0 {
			return v.fail(name, "its key %q must be a single value that every element has", s.Key)
		}
	}
	return v.shape(name, s.Of, depth+1)
}

// vars checks the variables of an expression: names that it can say, none of them
// a word of the language.
func (v validator) vars(field string, s *Shape) error {
	if s.Kind != KindExpr {
		if len(s.Vars) != 0 {
			return v.fail(field, "only an expr has vars")
		}
		return nil
	}
	seen := make(map[string]bool, len(s.Vars))
	for _, name := range s.Vars {
		if seen[name] {
			return v.fail(field, "its variable %q is named twice", clip(name))
		}
		seen[name] = true
	}
	if err := checkFormula("0", s.Vars); err != nil {
		return v.fail(field, "%v", err)
	}
	return nil
}

func (v validator) names(field string, s *Shape) error {
	if s.Kind != KindEnum && s.Kind != KindFlags {
		if len(s.Names) != 0 {
			return v.fail(field, "only enum and flags have names for their values")
		}
		return nil
	}
	seen := make(map[string]bool, len(s.Names))
	numbers := make(map[int64]bool, len(s.Names))
	for _, n := range s.Names {
		switch reason := nameProblem(n.Name); {
		case reason != "":
			return v.fail(field, "the value's name %q %s", clip(n.Name), reason)
		case strings.ContainsAny(n.Name[:1], "0123456789+-#[]{}\";") || n.Name == "null":
			return v.fail(field, "the value's name %q could be taken for something else", clip(n.Name))
		case strings.TrimSpace(n.Name) != n.Name:
			return v.fail(field, "the value's name %q begins or ends with white space", clip(n.Name))
		case seen[n.Name] || numbers[n.Number]:
			return v.fail(field, "the value %q = %d is named twice", n.Name, n.Number)
		case s.Kind == KindFlags && (n.Number < 0 || n.Number > 63):
			return v.fail(field, "the flag %q has bit %d, not 0 to 63", n.Name, n.Number)
		case s.Kind == KindEnum && !FitsInt(KindEnum, n.Number):
			return v.fail(field, "the value %q = %d is beyond 32 bits", n.Name, n.Number)
		}
		seen[n.Name], numbers[n.Number] = true, true
	}
	return nil
}

func (v validator) mount(t *Type) error {
	if t.Mount == nil {
		return nil
	}
	for _, name := range append(append([]string{t.Mount.Parent}, t.Mount.Offset...), t.Mount.Pose...) {
		i := slices.IndexFunc(t.Fields, func(f *Field) bool { return f.Name == name })
		if i < 0 {
			return v.missing(name, "", "mount names %q, which is no field of the type")
		}
		if f := t.Fields[i]; name == t.Mount.Parent && (f.Kind != KindRef || !f.Direct) {
			return v.fail(name, "a mount's parent is a direct ref")
		}
	}
	return nil
}

// nameProblem says why a name cannot be used, or "".
func nameProblem(name string) string {
	switch {
	case name == "":
		return "is empty"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsAny(name, "\n\r\x00"):
		return "has a line break or a zero byte in it"
	}
	return ""
}

// Validate reports the first thing that is wrong with the entity: an ID of 0,
// or a value that is not of its field's shape.
func (e *Entity) Validate() error {
	fail := func(field, reason string, args ...any) error { // only here: e's words take longer than all else
		v := validator{subject: e.String()}
		return v.fail(field, reason, args...)
	}
	if e.ID == 0 {
		return fail("", "%v", ErrID)
	}
	if len(e.Values) != len(e.Layout.Fields) {
		return fail("", "it has %d values for %d fields", len(e.Values), len(e.Layout.Fields))
	}
	for i, f := range e.Layout.Fields {
		if e.Values[i].IsNull() && f.SaveWhen != "" {
			continue
		}
		if reason := valueProblem(&f.Shape, e.Values[i]); reason != "" {
			return fail(f.Name, "%s", reason)
		}
	}
	return nil
}

// Check says why v cannot be a value of the shape, nil if it can.
func (s *Shape) Check(v Value) error {
	if reason := valueProblem(s, v); reason != "" {
		return errors.New(reason)
	}
	return nil
}

// valueProblem says why v cannot be a value of the shape, or "".
func valueProblem(s *Shape, v Value) string {
	if v.IsNull() {
		if s.Optional {
			return ""
		}
		return "there is no value, and it is not optional"
	}
	if v.kind != s.Kind {
		return fmt.Sprintf("the value is %s, not %s", v.kind, s.Kind)
	}
	switch k := v.kind; {
	case k == KindString && !utf8.ValidString(v.text):
		return "the string is not UTF-8"
	case k == KindExpr:
		return sourceProblem(v.text)
	case k == KindFlags && !s.WideFlags() && v.Uint() > 1<<32-1:
		return "a bit beyond the 32nd is set, and the flags have no name there"
	case k.IsMatrix() && len(v.text) != 4*k.Components():
		return fmt.Sprintf("the %s has %d bytes, not %d", k, len(v.text), 4*k.Components())
	case k.IsSigned() && !FitsInt(k, v.Int()), k.IsUnsigned() && !FitsUint(k, v.Uint()):
		return fmt.Sprintf("the number is beyond the range of %s", k)
	case k.IsList():
		return itemsProblem(v, func(int) *Shape { return s.Of })
	case k == KindStruct:
		if len(v.list) != len(s.Fields) {
			return fmt.Sprintf("the struct has %d members, not %d", len(v.list), len(s.Fields))
		}
		return itemsProblem(v, func(i int) *Shape { return &s.Fields[i].Shape })
	}
	return ""
}

// sourceProblem says why a text cannot stand on a line as an expression, or "". What
// it says is not looked at: an expression that is wrong is kept, and Check tells of it.
func sourceProblem(source string) string {
	switch {
	case !utf8.ValidString(source):
		return "the expression is not UTF-8"
	case strings.ContainsFunc(source, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return "the expression has a line break or another control character in it"
	case strings.Trim(source, " \t") != source:
		return "the expression begins or ends with white space"
	}
	return ""
}

func itemsProblem(v Value, shape func(int) *Shape) string {
	for i := range v.list {
		if reason := valueProblem(shape(i), v.list[i]); reason != "" {
			return fmt.Sprintf("element %d: %s", i+1, reason)
		}
	}
	return ""
}
