package interchange

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// entityParser reads the entities of a stream.
type entityParser struct {
	types   *entity.Types
	unknown *unknownTypes
	values  valueParser
	lines   *Lines // those of earlier streams; nil if there are none

	undeclared bool // fields of types that are declared nowhere are kept as lines of text
}

// unknownTypes are the types that there is no declaration of. It is safe for
// concurrent use.
type unknownTypes struct {
	mu    sync.Mutex
	types map[string]*entity.Type
}

func (u *unknownTypes) get(name string) *entity.Type {
	u.mu.Lock()
	defer u.mu.Unlock()
	t, ok := u.types[name]
	if !ok {
		if u.types == nil {
			u.types = make(map[string]*entity.Type)
		}
		t = entity.UnknownType(name)
		u.types[name] = t
	}
	return t
}

// draft is an entity's object taken apart, before its type is looked up.
type draft struct {
	id       entity.ID
	typ      string
	revision *uint32 // nil where it is not given
	fields   piece
	unknown  []entity.Raw
}

// String returns the entity as messages name it, "" while nothing is known.
func (d *draft) String() string {
	if d.id == 0 {
		return clip(d.typ)
	}
	return strings.TrimSpace(clip(d.typ) + " " + d.id.String())
}

func (p *entityParser) parse(v piece) (*entity.Entity, *Error) {
	var d draft
	e, err := p.read(&d, v)
	if err != nil {
		err.Entity = d.String()
		return nil, err
	}
	return e, nil
}

func (p *entityParser) read(d *draft, v piece) (*entity.Entity, *Error) {
	members, err := v.members()
	if err != nil {
		return nil, err
	}
	// All of them before any error: it is to name the entity.
	var first *Error
	for _, m := range members {
		if err := d.member(m); err != nil && first == nil {
			first = err
		}
	}
	switch {
	case first != nil:
		return nil, first
	case d.id == 0:
		return nil, failf(v.offset, `the entity has no "id"`)
	case d.typ == "":
		return nil, failf(v.offset, `the entity has no "type"`)
	}
	return p.build(d)
}

func (d *draft) member(m member) (err *Error) {
	switch m.key {
	case "id":
		d.id, err = parseID(m.value)
	case "type":
		if d.typ, err = m.value.text(); err == nil && strings.ContainsAny(d.typ, lineBreaks) {
			err = failf(m.value.offset, "the name has a line break or a zero byte in it")
		}
	case "revision":
		var v entity.Value
		v, err = m.value.number(entity.KindU32)
		revision := uint32(v.Uint())
		d.revision = &revision
	case "fields":
		d.fields = m.value
	case "unknown":
		d.unknown, err = parseUnknown(m.value)
	default:
		return failf(m.value.offset, "unknown key %s; an entity has id, type, revision, fields and unknown", quote(m.key))
	}
	if err != nil {
		return err.key(m.key)
	}
	return nil
}

// lineBreaks is what no name can have in it.
const lineBreaks = "\n\r\x00"

func parseID(v piece) (entity.ID, *Error) {
	n, err := v.number(entity.KindRef)
	if err != nil || n.Ref() == 0 {
		return 0, failf(v.offset, "want a number from 1 to %d, got %s", entity.MaxID, clip(string(v.raw)))
	}
	return n.Ref(), nil
}

// parseUnknown reads the fields that the type does not have, kept as lines of
// text.
func parseUnknown(v piece) ([]entity.Raw, *Error) {
	elements, err := v.elements()
	if err != nil {
		return nil, err
	}
	var out []entity.Raw
	for i, element := range elements {
		raw, err := parseRaw(element)
		if err != nil {
			return nil, err.element(i)
		}
		out = append(out, raw)
	}
	return out, nil
}

func parseRaw(v piece) (raw entity.Raw, err *Error) {
	members, err := v.members()
	if err != nil {
		return raw, err
	}
	for _, m := range members {
		switch m.key {
		case "name":
			if raw.Name, err = m.value.text(); err == nil && strings.ContainsAny(raw.Name, lineBreaks) {
				err = failf(m.value.offset, "it has a line break or a zero byte in it")
			}
		case "lines":
			raw.Lines, err = m.value.text()
		default:
			return raw, failf(m.value.offset, "unknown key %s; an unknown field has name and lines", quote(m.key))
		}
		if err != nil {
			return raw, err.key(m.key)
		}
	}
	return raw, nil
}

// build makes the entity of its parts.
func (p *entityParser) build(d *draft) (*entity.Entity, *Error) {
	t := p.typeOf(d.typ)
	revision := t.Revision
	if d.revision != nil {
		revision = *d.revision
	}
	// A layout holds on to memory for every field of its type, and anyone can ask
	// for one at any revision.
	if revision != t.Revision {
		if err := p.values.fill(len(t.Fields)); err != nil {
			return nil, err
		}
	}
	if t.Unknown && p.undeclared && d.fields.raw != nil {
		raw, err := rawFields(d.fields)
		if err != nil {
			return nil, err
		}
		d.unknown, d.fields = append(d.unknown, raw...), piece{}
	}
	e := &entity.Entity{ID: d.id, Layout: t.Layout(revision), Unknown: d.unknown}
	if err := p.fields(e, d.fields); err != nil {
		return nil, err
	}
	for _, raw := range e.Unknown {
		if e.Layout.Index(raw.Name) >= 0 {
			return nil, failf(d.fields.offset, `unknown: its type does have a field %s; its value belongs into "fields"`, quote(raw.Name))
		}
	}
	e.Canonicalize()
	return e, nil
}

// typeOf returns the type of that name, one without fields where there is no
// declaration.
func (p *entityParser) typeOf(name string) *entity.Type {
	if t := p.types.Get(name); t != nil {
		return t
	}
	return p.unknown.get(name)
}

func (p *entityParser) fields(e *entity.Entity, v piece) (err *Error) {
	if v.raw == nil {
		v.raw = jsontext.Value("{}")
	}
	p.values.reset(v.raw, v.offset)
	var leftOut []int
	e.Values, err = p.values.members(e.Layout.Fields, &leftOut, func(name string) (int, *Error) {
		if i := e.Layout.Index(name); i >= 0 {
			return i, nil
		}
		return 0, p.values.noSuchField(e.Layout, name)
	})
	if err != nil && err.Field == "" {
		return err.key("fields")
	}
	if err == nil {
		p.fillSaved(e, leftOut)
	}
	return err
}

// fillSaved gives fields that were left out their defaults, where these are saved: what a
// condition reads is what was given.
func (p *entityParser) fillSaved(e *entity.Entity, leftOut []int) {
	for _, i := range leftOut {
		if !e.SavesField(i) {
			continue
		}
		if e.Values[i] = p.values.defaultOf(e.Layout.Fields[i]); !e.SavesField(i) {
			e.Values[i] = entity.Value{}
		}
	}
}

// noSuchField says why an entity of the layout cannot have the field.
func (p *valueParser) noSuchField(l *entity.Layout, name string) *Error {
	if l.Type.Unknown {
		return p.failf("there is no declaration of the type %s, so its fields cannot be read; a line with the type must come before", quote(l.Type.Name)).within(name)
	}
	var when []string
	for _, f := range l.Type.Fields {
		if f.Name == name {
			when = append(when, lifetime(f))
		}
	}
	if len(when) == 0 {
		return p.failf("the type has no such field").within(name)
	}
	return p.failf("the type has it %s, and the entity is at revision %d", strings.Join(when, " and "), l.Revision).within(name)
}

func lifetime(f *entity.Field) string {
	since := "from revision " + strconv.FormatUint(uint64(f.Since), 10)
	if f.Until == 0 {
		return since
	}
	return fmt.Sprintf("%s to before %d", since, f.Until)
}
