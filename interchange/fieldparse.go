package interchange

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
	_ "github.com/worldfs/worldfs/entity/expression" // which the conditions of types are written in
)

// fields reads a type's fields or a struct's members, whose names come after
// path.
func (p *typeParser) fields(path string, v piece, depth int) ([]*entity.Field, *Error) {
	elements, err := v.elements()
	if err != nil {
		return nil, err.key("fields")
	}
	fields := make([]*entity.Field, len(elements))
	for i, element := range elements {
		members, err := element.members()
		if err != nil {
			return nil, err.element(i).key("fields")
		}
		f, err := p.field(path, element.offset, members, depth)
		if err != nil {
			if f.Name == "" {
				return nil, err.element(i).key("fields")
			}
			return nil, err.within(f.Name)
		}
		fields[i] = f
	}
	return fields, nil
}

// field returns what it has of the field with an error too, for its name.
func (p *typeParser) field(path string, offset int, members []member, depth int) (*entity.Field, *Error) {
	f := &entity.Field{}
	for _, m := range members {
		if m.key == "name" {
			var err *Error
			if f.Name, err = m.value.text(); err != nil {
				return f, err.key("name")
			}
		}
	}
	if f.Name == "" {
		return f, failf(offset, `the field has no "name"`)
	}
	p.places = append(p.places, place{path + f.Name, offset})
	rest, err := p.shape(path+f.Name, &f.Shape, offset, members, depth)
	for _, m := range rest {
		if err == nil {
			err = fieldMember(f, m, depth)
		}
	}
	if err != nil {
		return f, err
	}
	// Last, for it needs the whole shape.
	for _, m := range members {
		if m.key == "default" {
			return f, parseDefault(f, m.value)
		}
	}
	return f, nil
}

// fieldKeys are the keys of a field, those of its shape first.
var fieldKeys = []string{"kind", "direct", "optional", "key", "of", "fields", "values", "vars",
	"name", "default", "since", "until", "hidden", "editor_only", "unique", "derived", "yields",
	"save_when", "insignificant_when", "successor", "attributes"}

// fieldMember reads what a field, or at a depth a struct's member, has beside its shape.
func fieldMember(f *entity.Field, m member, depth int) (err *Error) {
	var v entity.Value
	switch m.key {
	case "name", "default":
	case "since":
		v, err = m.value.number(entity.KindU32)
		f.Since = uint32(v.Uint())
	case "until":
		v, err = m.value.number(entity.KindU32)
		f.Until = uint32(v.Uint())
	case "hidden":
		f.Hidden, err = m.value.flag()
	case "editor_only":
		f.EditorOnly, err = m.value.flag()
	case "unique":
		f.Unique, err = m.value.flag()
	case "derived":
		f.Derived, err = m.value.flag()
	case "yields":
		f.Yields, err = parseYields(m.value, depth)
	case "save_when":
		f.SaveWhen, err = m.value.text()
	case "insignificant_when":
		f.InsignificantWhen, err = m.value.text()
	case "successor":
		f.Successor, err = m.value.text()
	case "attributes":
		f.Attributes, err = parseAttributes(m.value)
	default:
		return unknownKey(m, fieldKeys)
	}
	if err != nil {
		return err.key(m.key)
	}
	return nil
}

func parseYields(v piece, depth int) (*bool, *Error) {
	if depth > 0 {
		return nil, failf(v.offset, "a type's own fields can yield, no member of a struct; say it of the field")
	}
	yields, err := v.flag()
	return &yields, err
}

// shape reads what describes a shape, and returns the members that do not.
func (p *typeParser) shape(path string, s *entity.Shape, offset int, members []member, depth int) (rest []member, err *Error) {
	if depth > entity.MaxDepth {
		return nil, failf(offset, "it is nested more than %d deep", entity.MaxDepth)
	}
	hasKind := false
	for _, m := range members {
		plain := true // errors do not yet say where they are
		switch m.key {
		case "kind":
			hasKind, plain = true, false
			s.Kind, err = parseKind(m.value)
		case "direct":
			s.Direct, err = m.value.flag()
		case "optional":
			s.Optional, err = m.value.flag()
		case "key":
			s.Key, err = m.value.text()
		case "of":
			s.Of, err = p.element(path, m.value, depth+1)
			plain = false
		case "fields":
			s.Fields, err = p.fields(path+".", m.value, depth+1)
			plain = false
		case "values":
			s.Names, err = parseNames(m.value)
		case "vars":
			s.Vars, err = m.value.texts()
		default:
			rest = append(rest, m)
		}
		if err != nil && plain {
			return nil, err.key(m.key)
		} else if err != nil {
			return nil, err
		}
	}
	if !hasKind {
		return nil, failf(offset, `it has no "kind"; %s`, kindList())
	}
	if s.Kind.IsList() && s.Of == nil {
		return nil, failf(offset, `it has no "of": what its elements are`)
	}
	return rest, nil
}

func parseKind(v piece) (entity.Kind, *Error) {
	name, err := v.text()
	if err != nil {
		return 0, err
	}
	k, ok := entity.ParseKind(name)
	if !ok {
		return 0, failf(v.offset, "unknown kind %s; %s", quote(name), kindList())
	}
	return k, nil
}

// kindList names the kinds that there are.
func kindList() string {
	var names []string
	for k := entity.KindBool; k <= entity.KindStruct; k++ {
		names = append(names, k.String())
	}
	return "kinds are " + strings.Join(names, ", ")
}

// element reads what a list's elements are: a kind, or an object.
func (p *typeParser) element(path string, v piece, depth int) (*entity.Shape, *Error) {
	s := &entity.Shape{}
	if v.raw.Kind() == jsontext.KindString {
		k, err := parseKind(v)
		if err != nil {
			return nil, err.key("of")
		}
		s.Kind = k
		return s, nil
	}
	members, err := v.members()
	if err != nil {
		return nil, err.key("of")
	}
	rest, err := p.shape(path, s, v.offset, members, depth)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, failf(rest[0].value.offset, "of: unknown key %s; an element has kind, direct, of, key, vars, fields, values and optional", quote(rest[0].key))
	}
	return s, nil
}

// parseNames reads the names of an enum or of flags: in an array they count
// from 0, in an object each has its number.
func parseNames(v piece) ([]entity.Name, *Error) {
	if v.raw.Kind() == jsontext.KindBeginArray {
		list, err := v.texts()
		names := make([]entity.Name, len(list))
		for i, name := range list {
			names[i] = entity.Name{Name: name, Number: int64(i)}
		}
		return names, err
	}
	members, err := v.members()
	if err != nil {
		return nil, err
	}
	names := make([]entity.Name, len(members))
	for i, m := range members {
		number, err := m.value.number(entity.KindI64)
		if err != nil {
			return nil, err.key(m.key)
		}
		names[i] = entity.Name{Name: m.key, Number: number.Int()}
	}
	sortNames(names)
	return names, nil
}

func parseDefault(f *entity.Field, v piece) *Error {
	if name := repeatedMember(&f.Shape); name != "" {
		return failf(v.offset, "default: it cannot be given, for the struct has two members %s", quote(name))
	}
	value, err := parseValueAt(v.raw, v.offset, &f.Shape)
	if err != nil {
		return err.key("default")
	}
	f.Default = &value
	return nil
}

// repeatedMember returns a name that two members of one struct in the shape
// have, each at revisions of its own, or "".
func repeatedMember(s *entity.Shape) string {
	if s.Of != nil {
		return repeatedMember(s.Of)
	}
	seen := make(map[string]bool, len(s.Fields))
	for _, f := range s.Fields {
		if seen[f.Name] {
			return f.Name
		}
		seen[f.Name] = true
		if name := repeatedMember(&f.Shape); name != "" {
			return name
		}
	}
	return ""
}
