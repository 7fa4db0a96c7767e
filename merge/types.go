package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/compare/sequence"
)

// mergeTypes merges the declarations: one that only one side declares or
// changed is taken, one that both changed is merged member by member.
func (m *merger) mergeTypes(base, ours, theirs *entity.Types) {
	m.types = &entity.Types{}
	for _, name := range typeNames(base, ours, theirs) {
		b, o, t := base.Get(name), ours.Get(name), theirs.Get(name)
		merged := m.declaration(name, b, o, t)
		if merged != nil {
			m.types.Put(merged)
		}
		for _, side := range []*entity.Type{b, o, t} {
			m.bind(side, merged)
		}
	}
}

// declaration returns the merged declaration of a type, nil for none.
func (m *merger) declaration(name string, b, o, t *entity.Type) *entity.Type {
	switch {
	case sameType(o, t), sameType(b, t):
		return o
	case sameType(b, o):
		return t
	case o == nil || t == nil:
		return m.deletedType(name, b, o, t)
	}
	return m.mergeType(b, o, t)
}

func typeNames(sets ...*entity.Types) []string {
	names := make(map[string]bool)
	for _, ts := range sets {
		for name := range ts.Names() {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// bind notes whether a side's declaration is the merged one in all but
// identity.
func (m *merger) bind(side, merged *entity.Type) {
	if side != nil && side != merged {
		m.bound[side] = sameType(side, merged)
	}
}

// sameType reports whether two declarations are the same; nil is none.
func sameType(a, b *entity.Type) bool {
	return a == b || a != nil && b != nil && bytes.Equal(interchange.AppendType(nil, a), interchange.AppendType(nil, b))
}

func (m *merger) deletedType(name string, b, o, t *entity.Type) *entity.Type {
	v := m.options.verdict(0, name, "")
	if v.left {
		v.stands = partyIf(o != nil)
	}
	m.conflict(v, Conflict{Kind: Declaration, Type: name, Path: "declaration", Why: "one took the declaration away, the other changed it",
		Base: Version{Text: "declared it"}, Ours: didTo(o != nil), Theirs: didTo(t != nil)})
	return either(m.side(v), o, t)
}

// didTo says what a side did to a declaration that the other one took away, or has.
func didTo(has bool) Version {
	if !has {
		return Version{Text: "took it away"}
	}
	return Version{Text: "changed it"}
}

// typeMerge is one declaration being merged.
type typeMerge struct {
	*merger
	name string
}

func (m *merger) mergeType(b, o, t *entity.Type) *entity.Type {
	d := &typeMerge{merger: m, name: o.Name}
	if b == nil {
		b = &entity.Type{Name: o.Name}
	}
	out := &entity.Type{
		Name:       o.Name,
		Revision:   newerRevision(b.Revision, o.Revision, t.Revision),
		Label:      pick(d, "", "label", b.Label, o.Label, t.Label),
		Mount:      pick(d, "", "mount", b.Mount, o.Mount, t.Mount),
		Yields:     pick(d, "", "yields", b.Yields, o.Yields, t.Yields),
		EditorOnly: pick(d, "", "editor_only", b.EditorOnly, o.EditorOnly, t.EditorOnly),
		Attributes: d.attributes("", b.Attributes, o.Attributes, t.Attributes),
		Fields:     d.fields("", b.Fields, o.Fields, t.Fields),
	}
	if err := out.Validate(); err != nil {
		v := m.options.verdict(0, o.Name, "")
		m.conflict(v, Conflict{Kind: Declaration, Type: o.Name, Why: "the two declarations do not go together: " + err.Error()})
		return either(m.side(v), o, t)
	}
	return out
}

// newerRevision merges a revision: of two new ones the higher counts.
func newerRevision(b, o, t uint32) uint32 {
	switch b {
	case o:
		return t
	case t:
		return o
	}
	return max(o, t)
}

// pick merges a part of a declaration that is one value.
func pick[T any](d *typeMerge, field, what string, b, o, t T) T {
	switch {
	case reflect.DeepEqual(o, t), reflect.DeepEqual(b, t):
		return o
	case reflect.DeepEqual(b, o):
		return t
	}
	v := d.options.verdict(0, d.name, field)
	d.conflict(v, Conflict{Kind: Declaration, Type: d.name, Field: field, Path: strings.TrimPrefix(field+": "+what, ": "), Why: "both changed the declaration",
		Base: part(b), Ours: part(o), Theirs: part(t)})
	return either(d.side(v), o, t)
}

// part returns a part of a declaration as reports show it.
func part(v any) Version {
	switch v := v.(type) {
	case fmt.Stringer:
		return Version{Text: v.String()}
	case string:
		return Version{Text: v}
	}
	text, _ := json.Marshal(v) // numbers, bools, lists of them and JSON
	return Version{Text: string(text)}
}

func (d *typeMerge) attributes(field string, b, o, t map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage)
	for _, key := range slices.Sorted(maps.Keys(union(o, t))) {
		if v := pick(d, field, "attribute "+key, b[key], o[key], t[key]); v != nil {
			out[key] = v
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func union[K comparable, V any](a, b map[K]V) map[K]V {
	out := maps.Clone(a)
	if out == nil {
		out = make(map[K]V)
	}
	maps.Copy(out, b)
	return out
}

// fields merges fields, or a struct's members, by name: a name can stand for
// several fields of different revisions.
func (d *typeMerge) fields(path string, base, ours, theirs []*entity.Field) []*entity.Field {
	names := [3][]string{fieldNames(base), fieldNames(ours), fieldNames(theirs)}
	keys := sequence.NameKeys(names[:])
	var lists [3]map[int]*entity.Field
	var order [3][]int
	for i, fields := range [][]*entity.Field{base, ours, theirs} {
		order[i] = sequence.SymbolsOfNames(keys, names[i])
		lists[i] = make(map[int]*entity.Field, len(fields))
		for n, symbol := range order[i] {
			lists[i][symbol] = fields[n]
		}
	}
	merged := make(map[int]*entity.Field)
	for symbol := range keys {
		if f := d.field(path, lists[0][symbol], lists[1][symbol], lists[2][symbol]); f != nil {
			merged[symbol] = f
		}
	}
	v := d.options.verdict(0, d.name, "")
	sequence, _ := mergeOrder(order[0], order[1], order[2], v.stands, func(symbol int) bool { return merged[symbol] != nil })
	out := make([]*entity.Field, len(sequence))
	for i, symbol := range sequence {
		out[i] = merged[symbol]
	}
	return out
}

func fieldNames(fields []*entity.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// sameField reports whether two fields are declared alike; nil is none.
func sameField(a, b *entity.Field) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameType(&entity.Type{Fields: []*entity.Field{a}}, &entity.Type{Fields: []*entity.Field{b}})
}

func (d *typeMerge) field(path string, b, o, t *entity.Field) *entity.Field {
	switch {
	case sameField(o, t), sameField(b, t):
		return o
	case sameField(b, o):
		return t
	case o == nil || t == nil:
		name := path + either(partyIf(o != nil), o, t).Name
		v := d.options.verdict(0, d.name, name)
		if v.left {
			v.stands = partyIf(o != nil)
		}
		d.conflict(v, Conflict{Kind: Declaration, Type: d.name, Field: name, Path: name,
			Why:  "one took the field away, the other changed its declaration",
			Base: Version{Text: "declared it"}, Ours: didTo(o != nil), Theirs: didTo(t != nil)})
		return either(d.side(v), o, t)
	case b == nil:
		b = &entity.Field{Name: o.Name}
	}
	name := path + o.Name
	f := &entity.Field{
		Name:              o.Name,
		Shape:             *d.shape(name, &b.Shape, &o.Shape, &t.Shape),
		Since:             pick(d, name, "since", b.Since, o.Since, t.Since),
		Until:             pick(d, name, "until", b.Until, o.Until, t.Until),
		Hidden:            pick(d, name, "hidden", b.Hidden, o.Hidden, t.Hidden),
		EditorOnly:        pick(d, name, "editor_only", b.EditorOnly, o.EditorOnly, t.EditorOnly),
		Unique:            pick(d, name, "unique", b.Unique, o.Unique, t.Unique),
		Derived:           pick(d, name, "derived", b.Derived, o.Derived, t.Derived),
		Yields:            pick(d, name, "yields", b.Yields, o.Yields, t.Yields),
		SaveWhen:          pick(d, name, "save_when", b.SaveWhen, o.SaveWhen, t.SaveWhen),
		InsignificantWhen: pick(d, name, "insignificant_when", b.InsignificantWhen, o.InsignificantWhen, t.InsignificantWhen),
		Successor:         pick(d, name, "successor", b.Successor, o.Successor, t.Successor),
		Attributes:        d.attributes(name, b.Attributes, o.Attributes, t.Attributes),
	}
	f.Default = d.defaultValue(f, b, o, t)
	return f
}

// defaultValue merges a field's default.
func (d *typeMerge) defaultValue(f, b, o, t *entity.Field) *entity.Value {
	text := func(f *entity.Field) string {
		if f.Default == nil {
			return ""
		}
		return shown(&f.Shape, *f.Default)
	}
	from := o
	switch pick(d, f.Name, "default", text(b), text(o), text(t)) {
	case text(o):
	default:
		from = t
	}
	if from.Default == nil {
		return nil
	}
	v, ok := entity.Widen(*from.Default, &from.Shape, &f.Shape)
	if !ok || v.IsNull() {
		return nil
	}
	return &v
}

// shape merges what values look like. One that one side made another kind is
// taken whole.
func (d *typeMerge) shape(name string, b, o, t *entity.Shape) *entity.Shape {
	kind := pick(d, name, "kind", b.Kind, o.Kind, t.Kind)
	switch {
	case o.Kind != kind:
		return t
	case t.Kind != kind:
		return o
	case b.Kind != kind:
		b = &entity.Shape{Kind: kind}
	}
	out := &entity.Shape{
		Kind:     kind,
		Optional: pick(d, name, "optional", b.Optional, o.Optional, t.Optional),
		Direct:   pick(d, name, "direct", b.Direct, o.Direct, t.Direct),
		Key:      pick(d, name, "key", b.Key, o.Key, t.Key),
		Vars:     pick(d, name, "vars", b.Vars, o.Vars, t.Vars),
		Names:    d.names(name, b.Names, o.Names, t.Names),
	}
	if kind.IsList() {
		was := b.Of
		if was == nil {
			was = &entity.Shape{}
		}
		out.Of = d.shape(name, was, o.Of, t.Of)
	}
	if kind == entity.KindStruct {
		out.Fields = d.fields(name+".", b.Fields, o.Fields, t.Fields)
	}
	return out
}
