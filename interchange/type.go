package interchange

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/worldfs/worldfs/entity"
)

// AppendType appends the canonical JSON object of a type: one line without its
// end, members in a fixed order, those left out that say nothing.
func AppendType(dst []byte, t *entity.Type) []byte {
	o := object{dst: append(dst, '{')}
	o.text("name", t.Name)
	o.number("revision", t.Revision, true)
	o.text("label", t.Label)
	if t.Mount != nil {
		o.key("mount")
		o.dst = appendMount(o.dst, t.Mount)
	}
	o.flag("yields", t.Yields)
	o.flag("editor_only", t.EditorOnly)
	o.fields(t.Fields)
	o.attributes(t.Attributes)
	return append(o.dst, '}')
}

// object writes the members of one JSON object, those that are zero not.
type object struct {
	dst  []byte
	some bool
}

func (o *object) key(name string) {
	if o.some {
		o.dst = append(o.dst, ',')
	}
	o.some = true
	o.dst = append(appendString(o.dst, name), ':')
}

func (o *object) text(key, s string) {
	if s != "" {
		o.key(key)
		o.dst = appendString(o.dst, s)
	}
}

func (o *object) number(key string, n uint32, always bool) {
	if n != 0 || always {
		o.key(key)
		o.dst = strconv.AppendUint(o.dst, uint64(n), 10)
	}
}

func (o *object) flag(key string, b bool) {
	if b {
		o.key(key)
		o.dst = append(o.dst, "true"...)
	}
}

// choice is flag where false says something, too; nil says nothing.
func (o *object) choice(key string, b *bool) {
	if b != nil {
		o.key(key)
		o.dst = strconv.AppendBool(o.dst, *b)
	}
}

func (o *object) texts(key string, list []string) {
	if len(list) == 0 {
		return
	}
	o.key(key)
	o.dst = appendTexts(o.dst, list)
}

func appendTexts(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

func appendMount(dst []byte, m *entity.Mount) []byte {
	o := object{dst: append(dst, '{')}
	o.text("parent", m.Parent)
	o.texts("offset", m.Offset)
	o.texts("pose", m.Pose)
	return append(o.dst, '}')
}

func (o *object) fields(fields []*entity.Field) {
	if len(fields) == 0 {
		return
	}
	o.key("fields")
	o.dst = append(o.dst, '[')
	for i, f := range fields {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = appendField(o.dst, f)
	}
	o.dst = append(o.dst, ']')
}

func appendField(dst []byte, f *entity.Field) []byte {
	o := object{dst: append(dst, '{')}
	o.text("name", f.Name)
	o.text("kind", f.Kind.String())
	o.number("since", f.Since, false)
	o.number("until", f.Until, false)
	o.shape(&f.Shape)
	o.flag("hidden", f.Hidden)
	o.flag("editor_only", f.EditorOnly)
	o.flag("unique", f.Unique)
	o.flag("derived", f.Derived)
	o.choice("yields", f.Yields)
	o.text("save_when", f.SaveWhen)
	o.text("insignificant_when", f.InsignificantWhen)
	if f.Default != nil && !f.Default.Equal(f.Shape.Zero()) {
		o.key("default")
		o.dst = AppendValue(o.dst, &f.Shape, *f.Default)
	}
	o.text("successor", f.Successor)
	o.attributes(f.Attributes)
	return append(o.dst, '}')
}

// shape writes what a shape has beside its kind.
func (o *object) shape(s *entity.Shape) {
	o.flag("direct", s.Direct)
	if s.Of != nil {
		o.key("of")
		o.dst = appendElement(o.dst, s.Of)
	}
	o.text("key", s.Key)
	if len(s.Vars) > 0 {
		o.key("vars")
		o.dst = appendTexts(o.dst, s.Vars)
	}
	o.fields(s.Fields)
	if len(s.Names) > 0 {
		o.key("values")
		o.dst = appendNames(o.dst, s.Names)
	}
	o.flag("optional", s.Optional)
}

// appendElement writes the shape of a list's elements: its kind alone where
// there is no more to say.
func appendElement(dst []byte, s *entity.Shape) []byte {
	o := object{dst: append(dst, '{')}
	o.text("kind", s.Kind.String())
	bare := len(o.dst)
	o.shape(s)
	if len(o.dst) == bare {
		return appendString(dst, s.Kind.String())
	}
	return append(o.dst, '}')
}

// appendNames writes the names alone where their numbers are 0, 1, 2 and so
// on, else an object of the numbers, in their order.
func appendNames(dst []byte, names []entity.Name) []byte {
	names = slices.Clone(names)
	sortNames(names)
	list, counted := make([]string, len(names)), true
	for i, n := range names {
		list[i] = n.Name
		counted = counted && n.Number == int64(i)
	}
	if counted {
		return appendTexts(dst, list)
	}
	o := object{dst: append(dst, '{')}
	for _, n := range names {
		o.key(n.Name)
		o.dst = strconv.AppendInt(o.dst, n.Number, 10)
	}
	return append(o.dst, '}')
}

func sortNames(names []entity.Name) {
	slices.SortStableFunc(names, func(a, b entity.Name) int { return cmp.Compare(a.Number, b.Number) })
}

// attributes writes an engine's own metadata: compact, names sorted as RFC 8785
// sorts them, numbers as they were written.
func (o *object) attributes(attributes map[string]json.RawMessage) {
	if len(attributes) == 0 {
		return
	}
	inner := object{dst: []byte{'{'}}
	for name, raw := range attributes {
		inner.key(name)
		inner.dst = append(inner.dst, raw...)
	}
	o.key("attributes")
	// An attribute that is not JSON could only come from a program's mistake;
	// it is written as it is, and reading it says where it is wrong.
	o.dst, _ = jsontext.AppendFormat(o.dst, append(inner.dst, '}'), jsontext.ReorderRawObjects(true))
}
