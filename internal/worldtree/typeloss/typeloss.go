// Package typeloss finds what a change of types would do to the entities of a world: which
// of their values would be lost or changed, could not be read any more, or would stop
// entities from being upgraded or shipped.
//
// Served bytes do not change because a type did: an entity goes on with its text, which is
// read under the new declaration. So that is what is compared here, value by value: what
// the text says under the types of before, and what it says under those of after. The
// declarations are looked at only to say why. What a text says only under the new types,
// or under neither, is no loss.
//
// A check takes two readings of each text whose type has changed, about 20 µs each, and
// changes nothing.
package typeloss

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/textcodec"
)

// Effect is what becomes of values.
type Effect string

// The effects, the worst first.
const (
	Unreadable Effect = "unreadable" // the whole text would be broken
	Dropped    Effect = "dropped"    // the value would not be read, and fmt would take it out
	Changed    Effect = "changed"    // another value would be read
	Kept       Effect = "kept"       // the value would be lines that no game and no tool reads
	Refused    Effect = "refused"    // no value is lost, but a ship build refuses the entity
)

// IsLoss reports whether values are lost.
func (e Effect) IsLoss() bool { return e != Refused }

// Cause is what of a declaration has changed.
type Cause string

// The causes.
const (
	TypeRemoved   Cause = "type-removed"   // nothing declares the type any more
	FieldRemoved  Cause = "field-removed"  // or renamed
	FieldMoved    Cause = "field-moved"    // its since or until has changed, and the entity's revision lacks it
	KindChanged   Cause = "kind-changed"   // including that of elements
	NameRemoved   Cause = "name-removed"   // of an enum's value, or of a flag
	MemberChanged Cause = "member-changed" // of a struct
	NotOptional   Cause = "not-optional"   // it has to have a value now
	NotSaved      Cause = "not-saved"      // its save_when does not hold
	DefaultMoved  Cause = "default"        // entities that do not give it have another value
	FieldAdded    Cause = "field-added"    // the text has lines of that name that are none of its values
	NoSuccessor   Cause = "no-successor"   // it ends, and its value has nowhere to go
	RevisionDown  Cause = "revision"       // entities are newer than the type
	UniqueAdded   Cause = "unique"         // two entities share a value
	KeyAdded      Cause = "key"            // two elements share a key
	DirectAdded   Cause = "direct"         // refs that are direct now go round in a circle
)

// Loss is one change of a declaration, and the entities that lose by it.
type Loss struct {
	Type   string `json:"type"`
	Field  string `json:"field,omitempty"` // none: it is about the type as a whole
	Cause  Cause  `json:"cause"`
	Effect Effect `json:"effect"`
	What   string `json:"what"` // what has changed, in words
	Mend   string `json:"mend"` // what to do

	Entities int    `json:"entities"` // how many lose
	Cases    []Case `json:"cases"`    // the first of them, in the order of their IDs
}

// Case is an entity that loses.
type Case struct {
	ID    entity.ID `json:"id"`
	Name  string    `json:"name,omitempty"`
	Value string    `json:"value,omitempty"` // what it has, in the interchange form, cut off where it is long
	Then  string    `json:"then,omitempty"`  // what would be read in its place, or why nothing would
}

// World is the entities that types are checked with. An entity without a text of its own
// has the canonical one, whichever types it was read with.
type World struct {
	Source entity.Source
	Texts  map[entity.ID][]byte // the texts that are not canonical, or cannot be read
}

// Check returns what the entities lose where types become others, the most of a type's and
// field's first cases, at most that many of each.
func Check(before, after *entity.Types, w World, most int) []Loss {
	c := checker{before: before, after: after, most: most, found: make(map[place]*Loss)}
	c.changed = changedTypes(before, after)
	if len(c.changed) == 0 {
		return nil
	}
	c.was, c.now = entity.NewWorld(entity.GUID{}, before), entity.NewWorld(entity.GUID{}, after)
	for _, id := range w.ids() {
		c.text(id, w.text(id))
	}
	c.refusals()
	return c.losses()
}

// ids returns the entities, whether their texts can be read or not, in order.
func (w World) ids() []entity.ID {
	var ids []entity.ID
	for e := range w.Source.All() {
		ids = append(ids, e.ID)
	}
	for id := range w.Texts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (w World) text(id entity.ID) []byte {
	if text := w.Texts[id]; text != nil {
		return text
	}
	e, _ := w.Source.Get(id)
	return textcodec.Append(nil, e)
}

// changedTypes returns the types of before that are declared otherwise after, and those
// that are declared only then.
func changedTypes(before, after *entity.Types) map[string]bool {
	changed := make(map[string]bool)
	for _, t := range before.All() {
		n := after.Get(t.Name)
		changed[t.Name] = n == nil || !bytes.Equal(interchange.AppendType(nil, t), interchange.AppendType(nil, n))
	}
	for _, t := range after.All() {
		if before.Get(t.Name) == nil {
			changed[t.Name] = true
		}
	}
	for name, is := range changed {
		if !is {
			delete(changed, name)
		}
	}
	return changed
}

type checker struct {
	before, after *entity.Types
	changed       map[string]bool
	most          int

	was, now *entity.World // what the texts say, as far as they can be read
	found    map[place]*Loss
}

// place is what cases are gathered by.
type place struct {
	typeName, field string
	cause           Cause
	effect          Effect
}

// text compares what one text says under both types.
func (c *checker) text(id entity.ID, text []byte) {
	was, err := textcodec.Decode(text, id, c.before)
	if err != nil {
		return // there is no value to lose
	}
	c.was.Put(was.Entity)
	if !c.changed[was.Entity.Type()] {
		c.now.Put(was.Entity)
		return
	}
	now, err := textcodec.Decode(text, id, c.after)
	if err != nil {
		c.unreadable(was.Entity, err)
		return
	}
	c.now.Put(now.Entity)
	c.compare(was.Entity, now.Entity)
}

// add adds a case to its loss.
func (c *checker) add(e *entity.Entity, l Loss, one Case) {
	l.Type = e.Type()
	at := place{l.Type, l.Field, l.Cause, l.Effect}
	if c.found[at] == nil {
		c.found[at] = &l
	}
	have := c.found[at]
	have.Entities++
	if len(have.Cases) < c.most {
		one.ID, one.Name = e.ID, e.Name()
		have.Cases = append(have.Cases, one)
	}
}

// losses returns what was found, in the order of types; of one type the worst first.
func (c *checker) losses() []Loss {
	effects := []Effect{Unreadable, Dropped, Changed, Kept, Refused}
	var out []Loss
	for _, l := range c.found {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type),
			cmp.Compare(slices.Index(effects, a.Effect), slices.Index(effects, b.Effect)),
			cmp.Compare(a.Field, b.Field), cmp.Compare(a.Cause, b.Cause))
	})
	return out
}

// SameTypes reports whether both declare the same.
func SameTypes(a, b *entity.Types) bool { return len(changedTypes(a, b)) == 0 }
