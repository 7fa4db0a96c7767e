package interchange

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/spelling"
)

// ParseType reads the JSON object of a type and validates the type. Its errors
// are of type *Error; their Offset is where in line the fault is.
func ParseType(line []byte) (*entity.Type, error) {
	t, err := parseTypeAt(line, 0)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func parseTypeAt(raw []byte, base int) (*entity.Type, *Error) {
	p := typeParser{}
	t, err := p.parse(raw, base)
	if err != nil {
		if t != nil {
			err.Entity = "type " + quote(t.Name)
		}
		return nil, err
	}
	return t, nil
}

// typeParser reads the declaration of one type.
type typeParser struct {
	places []place
}

// place is where a field is declared: Validate knows fields by name only.
type place struct {
	field  string
	offset int
}

// parse returns what it has of the type with an error too, for its name.
func (p *typeParser) parse(raw []byte, base int) (*entity.Type, *Error) {
	members, err := piece{raw, base}.members()
	if err != nil {
		return nil, err
	}
	t := &entity.Type{Revision: 1}
	for _, m := range members {
		if m.key == "name" {
			if t.Name, err = m.value.text(); err != nil {
				return nil, err.key("name")
			}
		}
	}
	if t.Name == "" {
		return nil, failf(base, `the type has no "name"`)
	}
	for _, m := range members {
		if err := p.typeMember(t, m); err != nil {
			return t, err
		}
	}
	if err := t.Validate(); err != nil {
		return t, p.invalid(t, err, base)
	}
	return t, nil
}

// key says by which key the error is.
func (e *Error) key(key string) *Error {
	e.Reason = key + ": " + e.Reason
	return e
}

func (p *typeParser) typeMember(t *entity.Type, m member) (err *Error) {
	switch m.key {
	case "name":
	case "revision":
		var v entity.Value
		v, err = m.value.number(entity.KindU32)
		t.Revision = uint32(v.Uint())
	case "label":
		t.Label, err = m.value.text()
	case "mount":
		t.Mount, err = parseMount(m.value)
	case "yields":
		t.Yields, err = m.value.flag()
	case "editor_only":
		t.EditorOnly, err = m.value.flag()
	case "fields":
		t.Fields, err = p.fields("", m.value, 0)
		return err
	case "attributes":
		t.Attributes, err = parseAttributes(m.value)
	default:
		return unknownKey(m, typeKeys)
	}
	if err != nil {
		return err.key(m.key)
	}
	return nil
}

// typeKeys are the keys of a type.
var typeKeys = []string{"name", "revision", "label", "mount", "yields", "editor_only", "fields", "attributes"}

// unknownKey says which of the known keys may be meant.
func unknownKey(m member, known []string) *Error {
	if near := spelling.DidYouMean(m.key, slices.Values(known)); near != "" {
		return failf(m.value.offset, "unknown key %s%s", quote(m.key), near)
	}
	return failf(m.value.offset, `unknown key %s; what is the engine's own belongs into "attributes"`, quote(m.key))
}

// invalid makes an Error of what Validate says of t, at the field that it names.
func (p *typeParser) invalid(t *entity.Type, err error, base int) *Error {
	var f *entity.FieldError
	if !errors.As(err, &f) {
		return failf(base, "%v", err)
	}
	// What the expression language says goes over several lines.
	reason, _, _ := strings.Cut(f.Reason, "\n")
	reason += spelling.DidYouMean(f.Missing, fieldNames(t))
	e := &Error{Field: f.Field, Reason: reason, Offset: base}
	for _, place := range p.places {
		// Of fields with one name the last counts: it is the one that stands there
		// once too often.
		if place.field == f.Field {
			e.Offset = place.offset
		}
	}
	return e
}

func fieldNames(t *entity.Type) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range t.Fields {
			if !yield(f.Name) {
				return
			}
		}
	}
}

func parseMount(v piece) (*entity.Mount, *Error) {
	members, err := v.members()
	if err != nil {
		return nil, err
	}
	mount := &entity.Mount{}
	for _, m := range members {
		switch m.key {
		case "parent":
			mount.Parent, err = m.value.text()
		case "offset":
			mount.Offset, err = m.value.texts()
		case "pose":
			mount.Pose, err = m.value.texts()
		default:
			err = failf(m.value.offset, "unknown key %s; a mount has parent, offset and pose", quote(m.key))
		}
		if err != nil {
			return nil, err
		}
	}
	if mount.Parent == "" {
		return nil, failf(v.offset, "it names no parent")
	}
	return mount, nil
}

func parseAttributes(v piece) (map[string]json.RawMessage, *Error) {
	members, err := v.members()
	if err != nil || len(members) == 0 {
		return nil, err
	}
	attributes := make(map[string]json.RawMessage, len(members))
	for _, m := range members {
		raw, err := jsontext.AppendFormat(nil, []byte(m.value.raw), jsontext.ReorderRawObjects(true))
		if err != nil {
			return nil, syntaxError(err, m.value.offset)
		}
		attributes[m.key] = raw
	}
	return attributes, nil
}
