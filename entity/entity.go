// Package entity is the model of a game's world: entities by ID, their types
// with revisions, values of every kind with exact floats, references between
// entities, and change sets. It reads and writes no format and imports nothing
// of the other packages; they all import it.
//
// A world is a set of types and a set of entities. An entity has an ID, a
// type, the revision of the type under which it was last written ("entity data
// version"), and one value for each field that the type had at that revision.
// What is unknown to the type is carried along as raw lines.
//
// The conditions of types are sources in the language of package
// entity/expression, which alone knows what they mean: see Condition.
package entity

import (
	"fmt"
	"strings"
)

// Entity is one thing in a world. Entities are shared freely and not changed
// once they are in a world: to change one, change a Clone.
type Entity struct {
	ID      ID
	Layout  *Layout // its type at its revision
	Values  []Value // one for each of Layout.Fields; null where absent
	Unknown []Raw   // fields that its type does not have at its revision
}

// Raw is a field that is unknown to its entity's type: its name and the lines
// of text below the name, each with its indentation, joined with "\n" and
// without one at the end. Name is "" only for lines that stand before any
// field.
type Raw struct {
	Name  string
	Lines string
}

// New returns an entity with every field at its default.
func New(id ID, l *Layout) *Entity {
	e := &Entity{ID: id, Layout: l, Values: make([]Value, len(l.Fields))}
	for i, f := range l.Fields {
		e.Values[i] = f.DefaultValue()
	}
	return e
}

// Type returns the name of the entity's type.
func (e *Entity) Type() string { return e.Layout.Type.Name }

// Revision returns the revision of its type under which it was written.
func (e *Entity) Revision() uint32 { return e.Layout.Revision }

// Value returns the value of the field of that name, null where it is absent
// or there is no such field.
func (e *Entity) Value(name string) Value {
	if i := e.Layout.Index(name); i >= 0 {
		return e.Values[i]
	}
	return Value{}
}

// Clone returns a copy whose values can be set without changing e.
func (e *Entity) Clone() *Entity {
	c := *e
	c.Values = append([]Value(nil), e.Values...)
	c.Unknown = append([]Raw(nil), e.Unknown...)
	return &c
}

// WithField returns a copy that has a field as another entity has it, and the entity itself
// where one has no such field, or of another kind.
func (e *Entity) WithField(name string, from *Entity) *Entity {
	to, at := e.Layout.Index(name), from.Layout.Index(name)
	if to < 0 || at < 0 || e.Layout.Fields[to].Kind != from.Layout.Fields[at].Kind {
		return e
	}
	e = e.Clone()
	e.Values[to] = from.Values[at]
	return e
}

// Equal reports whether both have the same ID, type, revision, values bit for
// bit, and raw lines. Types are the same when their names are.
func (e *Entity) Equal(o *Entity) bool {
	if e.ID != o.ID || e.Type() != o.Type() || e.Revision() != o.Revision() ||
		len(e.Values) != len(o.Values) || len(e.Unknown) != len(o.Unknown) {
		return false
	}
	for i := range e.Values {
		if !e.Values[i].Equal(o.Values[i]) {
			return false
		}
	}
	for i := range e.Unknown {
		if e.Unknown[i] != o.Unknown[i] {
			return false
		}
	}
	return true
}

// Name returns what people call the entity, "" if nothing.
func (e *Entity) Name() string {
	if i := e.Layout.LabelField(); i >= 0 {
		return e.Values[i].Text()
	}
	return ""
}

// String returns the entity as messages name it: Door 6555 "bunker door".
func (e *Entity) String() string {
	s := e.Type() + " " + e.ID.String()
	if name := e.Name(); name != "" {
		s += fmt.Sprintf(" %q", clip(strings.ToValidUTF8(name, "?")))
	}
	return s
}

// Canonicalize brings the values into the one form that stands for them: sets
// sorted and free of duplicates, fields absent whose condition does not hold.
// It changes e and reports the names of the fields that it changed.
func (e *Entity) Canonicalize() (changed []string) {
	for i := range e.Values {
		v, did := canonical(&e.Layout.Fields[i].Shape, e.Values[i])
		if did {
			e.Values[i] = v
			changed = append(changed, e.Layout.Fields[i].Name)
		}
	}
	for e.dropUnsaved(&changed) {
		// A condition may read a field that has just been dropped.
	}
	return changed
}

// dropUnsaved makes the fields absent whose condition does not hold, and
// reports whether there were any.
func (e *Entity) dropUnsaved(changed *[]string) (any bool) {
	for i, cond := range e.Layout.conditions {
		if cond != nil && !e.Values[i].IsNull() && !cond.Holds(e) {
			e.Values[i] = Value{}
			*changed = append(*changed, e.Layout.Fields[i].Name)
			any = true
		}
	}
	return any
}

// SavesField reports whether field i is saved at all: true unless it has a
// condition that does not hold.
func (e *Entity) SavesField(i int) bool {
	c := e.Layout.conditions
	return c == nil || c[i] == nil || c[i].Holds(e)
}

// canonical returns v with every set in it sorted. Nothing is copied unless
// something changes.
func canonical(s *Shape, v Value) (Value, bool) {
	switch v.kind {
	case KindSet:
		items := append([]Value(nil), v.list...)
		items, did := SortSet(items)
		if !did {
			return v, false
		}
		return NewList(KindSet, items), true
	case KindArray:
		return canonicalItems(v, func(int) *Shape { return s.Of })
	case KindStruct:
		return canonicalItems(v, func(i int) *Shape { return &s.Fields[i].Shape })
	}
	return v, false
}

func canonicalItems(v Value, shape func(int) *Shape) (Value, bool) {
	changed := false
	for i := range v.list {
		item, did := canonical(shape(i), v.list[i])
		if !did {
			continue
		}
		if !changed {
			v.list = append([]Value(nil), v.list...)
			changed = true
		}
		v.list[i] = item
	}
	return v, changed
}
