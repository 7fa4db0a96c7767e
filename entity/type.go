package entity

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Field is one property of a type, or one member of a struct.
type Field struct {
	Name  string
	Shape        // what its values look like
	Since uint32 // the first revision that has it; 0: always had
	Until uint32 // the first revision that has it no more; 0: still has

	Hidden     bool  // people are not shown it unless they ask
	EditorOnly bool  // left out of ship builds
	Unique     bool  // no two entities of the type share a value
	Derived    bool  // computed from other fields: never conflicts
	Yields     *bool // a program's bulk change of it gives way in a merge; nil: as the type's does

	SaveWhen          string // expression: the field is saved only where it holds; "" for always
	InsignificantWhen string // expression: a change of the field is noise where it holds
	Default           *Value // what an entity has that gives no value; nil for the shape's zero
	Successor         string // the field that takes over its value when it has ended

	// Attributes are an engine's own metadata: names to JSON values, which
	// survive every path and mean nothing here.
	Attributes map[string]json.RawMessage
}

// ExistsAt reports whether entities at the revision have the field.
func (f *Field) ExistsAt(revision uint32) bool {
	return f.Since <= revision && (f.Until == 0 || revision < f.Until)
}

// DefaultValue returns what an entity has that gives no value.
func (f *Field) DefaultValue() Value {
	if f.Default != nil {
		return *f.Default
	}
	return f.Shape.Zero()
}

// Type is what entities of one kind of thing have in common. A type is not
// changed once it is in use.
type Type struct {
	Name     string
	Revision uint32 // the current one: what new entities get
	Fields   []*Field
	Label    string // the field that names an entity to people; "" for a guess (see LabelField)
	Mount    *Mount // how its entities are mounted on a parent, if they are
	Yields   bool   // a program's bulk change of its entities gives way in a merge
	// EditorOnly leaves the type and its entities out of ship builds.
	EditorOnly bool

	// Attributes are an engine's own metadata, as a field's are.
	Attributes map[string]json.RawMessage

	// Unknown says that no declaration of the type is known here: it has no
	// fields, and its entities' values are all raw lines.
	Unknown bool

	mu         sync.Mutex
	layouts    map[uint32]*Layout   // by revision, guarded by mu
	conditions map[string]Condition // by source, guarded by mu
}

// Mount names the fields by which a type's entities follow a parent. Where the
// parent and the offset stand still, the pose is derived from them.
type Mount struct {
	Parent string   // a direct ref
	Offset []string // the pose relative to the parent
	Pose   []string // the pose in the world
}

// UnknownType returns a type of which only the name is known.
func UnknownType(name string) *Type { return &Type{Name: name, Unknown: true} }

// Layout is a type as it was at one revision: the fields that its entities
// have, in order.
type Layout struct {
	Type     *Type
	Revision uint32
	Fields   []*Field

	index      map[string]int
	dotted     map[string][]int // fields by what is before the first dot of some name
	conditions []Condition      // by field, nil without SaveWhen; nil when no field has one
}

// Layout returns the type at a revision. Layouts are made once and shared; they
// are the same if their Type and Revision are.
func (t *Type) Layout(revision uint32) *Layout {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.layouts[revision]; ok {
		return l
	}
	l := newLayout(t, revision)
	if t.layouts == nil {
		t.layouts = make(map[uint32]*Layout)
	}
	if len(t.layouts) < maxLayouts {
		t.layouts[revision] = l
	}
	return l
}

// maxLayouts is how many revisions of a type keep their layout: more than a
// type's history has, few enough that no caller can fill memory by asking.
const maxLayouts = 4096

func newLayout(t *Type, revision uint32) *Layout {
	l := &Layout{Type: t, Revision: revision, Fields: fieldsAt(t.Fields, revision)}
	l.dotted = dottedFields(l.Fields)
	l.index = make(map[string]int, len(l.Fields))
	for i, f := range l.Fields {
		l.index[f.Name] = i
		if f.SaveWhen == "" {
			continue
		}
		if l.conditions == nil {
			l.conditions = make([]Condition, len(l.Fields))
		}
		// Validate has accepted it; one that it would not have accepted
		// always holds.
		l.conditions[i], _ = t.condition(f.SaveWhen)
	}
	return l
}

// insignificant returns the condition under which a change of field i is noise,
// nil where there is none.
func (l *Layout) insignificant(i int) Condition {
	t := l.Type
	t.mu.Lock()
	defer t.mu.Unlock()
	c, _ := t.condition(l.Fields[i].InsignificantWhen) // one that Validate would not accept is none
	return c
}

// Index returns the place of the field of that name, or -1.
func (l *Layout) Index(name string) int {
	if i, ok := l.index[name]; ok {
		return i
	}
	return -1
}

// Parts returns the places of the fields that a path may lead to which begins
// with a name: where there is a field whose name is that and goes on behind a
// dot, all such fields and one of the very name, in order; else none.
func (l *Layout) Parts(name string) []int { return l.dotted[name] }

// dottedFields returns the fields of each name that some field's name has in
// front of a dot, in the order in which they stand.
func dottedFields(fields []*Field) map[string][]int {
	var dotted map[string][]int
	for _, f := range fields {
		if head, _, ok := strings.Cut(f.Name, "."); ok {
			if dotted == nil {
				dotted = make(map[string][]int)
			}
			dotted[head] = nil
		}
	}
	if dotted == nil {
		return nil
	}
	for i, f := range fields {
		head, _, _ := strings.Cut(f.Name, ".")
		if _, ok := dotted[head]; ok {
			dotted[head] = append(dotted[head], i)
		}
	}
	return dotted
}

// Current returns the type at its own revision.
func (t *Type) Current() *Layout { return t.Layout(t.Revision) }

// WhyAbsent says why an entity of the layout does not have a field: its type has it at other
// revisions, or not at all.
func (l *Layout) WhyAbsent(name string) string {
	words := fmt.Sprintf("its type has no such field at revision %d", l.Revision)
	for _, f := range l.Type.Fields {
		switch {
		case f.Name != name:
		case f.Since > l.Revision:
			return fmt.Sprintf("its type has the field since revision %d, and it is of %d", f.Since, l.Revision)
		default:
			words = fmt.Sprintf("its type has the field until revision %d, and it is of %d", f.Until, l.Revision)
		}
	}
	return words
}

// Begins reports whether an upgrade to the type's current revision gives an entity of the
// layout a field that it does not have.
func (l *Layout) Begins(name string) bool {
	return l.Index(name) < 0 && l.Type.Current().Index(name) >= 0
}

// LabelField returns the name of the string field that names an entity to
// people: the declared one, else entity_name, name, or one that ends in .name.
func (l *Layout) LabelField() int {
	if l.Type.Label != "" {
		return l.Index(l.Type.Label)
	}
	for _, guess := range []string{"entity_name", "name"} {
		if i := l.Index(guess); i >= 0 && l.Fields[i].Kind == KindString {
			return i
		}
	}
	return slices.IndexFunc(l.Fields, func(f *Field) bool {
		return f.Kind == KindString && strings.HasSuffix(f.Name, ".name")
	})
}

// Types are a world's types by name. The zero Types is empty and ready.
type Types struct {
	byName map[string]*Type
	names  []string // sorted
}

// NewTypes returns the types given; of two with one name the later counts.
func NewTypes(types ...*Type) *Types {
	ts := &Types{}
	for _, t := range types {
		ts.Put(t)
	}
	return ts
}

// Put adds a type, in place of one of that name.
func (ts *Types) Put(t *Type) {
	if ts.byName == nil {
		ts.byName = make(map[string]*Type)
	}
	if _, ok := ts.byName[t.Name]; !ok {
		i, _ := slices.BinarySearch(ts.names, t.Name)
		ts.names = slices.Insert(ts.names, i, t.Name)
	}
	ts.byName[t.Name] = t
}

// Get returns the type of that name, or nil.
func (ts *Types) Get(name string) *Type { return ts.byName[name] }

// Len returns how many types there are.
func (ts *Types) Len() int { return len(ts.names) }

// Names returns the names of the types, in order.
func (ts *Types) Names() iter.Seq[string] { return slices.Values(ts.names) }

// All returns the types in the order of their names.
func (ts *Types) All() []*Type {
	out := make([]*Type, len(ts.names))
	for i, n := range ts.names {
		out[i] = ts.byName[n]
	}
	return out
}

// Clone returns a copy that can be changed without changing ts; the types are shared.
func (ts *Types) Clone() *Types { return NewTypes(ts.All()...) }
