package entity

import (
	"cmp"
	"iter"
	"slices"
)

// Op is what a change does.
type Op uint8

// The operations of a change set.
const (
	OpCreate  Op = iota + 1 // New is the entity made
	OpDelete                // Old is the entity taken away
	OpReplace               // Old became New: another type or revision
	OpSet                   // the field went From one value To another; null is absent
	OpAdd                   // To was added to the set
	OpRemove                // From was removed from the set
	OpRaw                   // the unknown fields went from Old's to New's
	OpEdit                  // parts of a long array or text were replaced: Hunks
)

var opNames = [...]string{
	OpCreate: "create", OpDelete: "delete", OpReplace: "replace",
	OpSet: "set", OpAdd: "add", OpRemove: "remove", OpRaw: "raw", OpEdit: "edit",
}

// String returns the operation's name as formats spell it.
func (o Op) String() string {
	if int(o) < len(opNames) && opNames[o] != "" {
		return opNames[o]
	}
	return "op?"
}

// Change is one operation on one entity. It holds what was as well as what
// is, so that it can be inverted and so that applying it can tell whether the
// world has moved on.
type Change struct {
	Op       Op
	ID       ID
	Field    string // set, add, remove, edit
	From, To Value  // set, add, remove
	Hunks    []Hunk // edit, in order
	Old, New *Entity

	// Of and Name are the type at its revision and the label of an entity
	// whose property is changed.
	Of   *Layout
	Name string
}

// ChangeSet is what happened to a world, in order of ID; the changes of one
// entity are in the order of its fields. Its laws: Apply(Diff(a, b), a) is b;
// Apply(Invert(c), Apply(c, a)) is a; the changes of entities that are not the
// same commute.
type ChangeSet []Change

// Differ is a Source that finds out how another differs from it without
// reading all of both.
type Differ interface {
	Source

	// Differing does what the function Differing does. ok is false if it
	// cannot do it for o.
	Differing(o Source) (pairs iter.Seq2[*Entity, *Entity], ok bool)
}

// Differing yields, in the order of their IDs, the entities that are not the
// same in both, as a and as b has them, nil where there is none.
func Differing(a, b Source) iter.Seq2[*Entity, *Entity] {
	if d, ok := a.(Differ); ok {
		if pairs, ok := d.Differing(b); ok {
			return pairs
		}
	}
	if d, ok := b.(Differ); ok {
		if pairs, ok := d.Differing(a); ok {
			return turned(pairs)
		}
	}
	return func(yield func(*Entity, *Entity) bool) {
		for _, p := range differing(a, b) {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
}

func turned(pairs iter.Seq2[*Entity, *Entity]) iter.Seq2[*Entity, *Entity] {
	return func(yield func(*Entity, *Entity) bool) {
		for b, a := range pairs {
			if !yield(a, b) {
				return
			}
		}
	}
}

func differing(a, b Source) (pairs [][2]*Entity) {
	for e := range a.All() {
		if o, ok := b.Get(e.ID); !ok {
			pairs = append(pairs, [2]*Entity{e, nil})
		} else if !e.Same(o) {
			pairs = append(pairs, [2]*Entity{e, o})
		}
	}
	for e := range b.All() {
		if _, ok := a.Get(e.ID); !ok {
			pairs = append(pairs, [2]*Entity{nil, e})
		}
	}
	id := func(p [2]*Entity) ID { return cmp.Or(p[0], p[1]).ID }
	slices.SortFunc(pairs, func(p, q [2]*Entity) int { return cmp.Compare(id(p), id(q)) })
	return pairs
}

// Same reports whether e and o are Equal and have the same fields: whether
// DiffEntity finds nothing.
func (e *Entity) Same(o *Entity) bool {
	return e == o || e.Equal(o) && sameFields(e.Layout, o.Layout)
}

// Diff returns the changes that make b of a.
func Diff(a, b Source) ChangeSet {
	var set ChangeSet
	for e, o := range Differing(a, b) {
		switch {
		case o == nil:
			set = append(set, Change{Op: OpDelete, ID: e.ID, Old: e})
		case e == nil:
			set = append(set, Change{Op: OpCreate, ID: o.ID, New: o})
		default:
			set = append(set, DiffEntity(e, o)...)
		}
	}
	return set
}

// DiffEntity returns the changes that make b of a, which have the same ID.
func DiffEntity(a, b *Entity) ChangeSet {
	if a.Type() != b.Type() || a.Revision() != b.Revision() || !sameFields(a.Layout, b.Layout) {
		return ChangeSet{{Op: OpReplace, ID: a.ID, Old: a, New: b}}
	}
	var set ChangeSet
	for i, f := range a.Layout.Fields {
		if from, to := a.Values[i], b.Values[i]; !from.Equal(to) {
			set = append(set, diffValue(a.ID, f, from, to)...)
		}
	}
	if !slices.Equal(a.Unknown, b.Unknown) {
		set = append(set, Change{Op: OpRaw, ID: a.ID, Old: a, New: b})
	}
	for i := range set {
		set[i].Of, set[i].Name = a.Layout, a.Name()
	}
	return set
}

// sameFields reports whether two layouts have the same fields in order, so
// that their entities' values can be held side by side.
func sameFields(a, b *Layout) bool {
	return a == b || slices.EqualFunc(a.Fields, b.Fields, func(f, g *Field) bool {
		return f.Name == g.Name && f.Kind == g.Kind
	})
}

// diffValue returns the change of one field: element by element for a set, so
// that two people's additions are two changes, and whole for all else.
func diffValue(id ID, f *Field, from, to Value) ChangeSet {
	if f.Kind != KindSet || from.IsNull() || to.IsNull() {
		return ChangeSet{{Op: OpSet, ID: id, Field: f.Name, From: from, To: to}}
	}
	var set ChangeSet
	old, now := from.Items(), to.Items()
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && old[0].Compare(now[0]) < 0:
			set = append(set, Change{Op: OpRemove, ID: id, Field: f.Name, From: old[0]})
			old = old[1:]
		case len(old) == 0 || now[0].Compare(old[0]) < 0:
			set = append(set, Change{Op: OpAdd, ID: id, Field: f.Name, To: now[0]})
			now = now[1:]
		default:
			old, now = old[1:], now[1:]
		}
	}
	return set
}

// Apply makes the changes on w. Where w is not as the change set's maker knew
// it, what the change says still comes to stand; finding out about that first
// is merging's work. Changes of entities that w does not have do nothing.
func (set ChangeSet) Apply(w *World) {
	for _, c := range set {
		switch c.Op {
		case OpCreate, OpReplace:
			w.Put(c.New)
		case OpDelete:
			w.Delete(c.ID)
		default:
			if e, ok := w.Get(c.ID); ok {
				w.Put(c.On(e))
			}
		}
	}
}

// Fits reports whether e has what the maker of a change of a property knew:
// what it was changed from, or for a set whether there is anything to do.
func (c Change) Fits(e *Entity) bool {
	switch c.Op {
	case OpSet:
		return e.Layout.Index(c.Field) >= 0 && e.Value(c.Field).Equal(c.From)
	case OpAdd, OpRemove:
		return e.Value(c.Field).Kind() == KindSet
	case OpEdit:
		return c.PutBack(e).Equal(e) && patchable(e, c.Field)
	case OpRaw:
		return slices.Equal(e.Unknown, c.Old.Unknown)
	}
	return false
}

// On returns e with the change of a property made.
func (c Change) On(e *Entity) *Entity {
	e = e.Clone()
	if c.Op == OpRaw {
		e.Unknown = c.New.Unknown
		return e
	}
	i := e.Layout.Index(c.Field)
	if i < 0 {
		return e
	}
	e.Values[i] = c.onValue(&e.Layout.Fields[i].Shape, e.Values[i])
	return e
}

// onValue returns a value of the field with the change made.
func (c Change) onValue(s *Shape, v Value) Value {
	switch c.Op {
	case OpSet:
		return c.To
	case OpAdd:
		items, _ := SortSet(append(slices.Clone(v.Items()), c.To))
		return NewList(KindSet, items)
	case OpRemove:
		return NewList(KindSet, slices.DeleteFunc(slices.Clone(v.Items()), c.From.Equal))
	case OpEdit:
		_, v = patch(s, v, c.Hunks)
	}
	return v
}

// PutBack returns e as the maker of a change of a property knew it, as far as
// the change says: with what it was changed from.
func (c Change) PutBack(e *Entity) *Entity {
	if c.Op != OpEdit {
		return c.invert().On(e)
	}
	e = e.Clone()
	if i := e.Layout.Index(c.Field); i >= 0 {
		e.Values[i], _ = patch(&e.Layout.Fields[i].Shape, e.Values[i], c.Hunks)
	}
	return e
}

// Invert returns the changes that undo these.
func (set ChangeSet) Invert() ChangeSet {
	out := make(ChangeSet, len(set))
	for i, c := range set {
		out[len(set)-1-i] = c.invert()
	}
	slices.SortStableFunc(out, func(x, y Change) int { return cmp.Compare(x.ID, y.ID) })
	return out
}

func (c Change) invert() Change {
	c.From, c.To = c.To, c.From
	c.Old, c.New = c.New, c.Old
	c.Hunks = invertHunks(c.Hunks)
	switch c.Op {
	case OpCreate:
		c.Op = OpDelete
	case OpDelete:
		c.Op = OpCreate
	case OpAdd:
		c.Op = OpRemove
	case OpRemove:
		c.Op = OpAdd
	}
	return c
}
