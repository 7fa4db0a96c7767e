package changeset

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// Redeclared are entities of a type that no edit has changed: a declaration with other
// fields has them read otherwise, all of them in one way.
type Redeclared struct {
	Type    string
	Changes entity.ChangeSet // an OpReplace an entity
}

// ByDeclaration parts a change set into edits and what a changed declaration alone makes
// of entities, by type and by what that is, in the order in which they first come.
func ByDeclaration(set entity.ChangeSet) (edits entity.ChangeSet, types []Redeclared) {
	at := make(map[[2]string]int)
	for _, c := range set {
		if !onlyRedeclared(c) {
			edits = append(edits, c)
			continue
		}
		key := [2]string{c.New.Type(), otherFields(c)} // entities of two revisions may get different fields
		i, ok := at[key]
		if !ok {
			i = len(types)
			at[key] = i
			types = append(types, Redeclared{Type: c.New.Type()})
		}
		types[i].Changes = append(types[i].Changes, c)
	}
	return edits, types
}

// sameDeclared reports whether a change leaves an entity its type and its revision, and
// what replaces it is read by other fields.
func sameDeclared(c entity.Change) bool {
	return c.Op == entity.OpReplace && c.Old.Type() == c.New.Type() && c.Old.Revision() == c.New.Revision()
}

// onlyRedeclared reports whether a change is no edit.
func onlyRedeclared(c entity.Change) bool {
	if !sameDeclared(c) {
		return false
	}
	for range editedValues(c) {
		return false
	}
	return slices.Equal(rawBeside(c.Old, c.New), rawBeside(c.New, c.Old))
}

// twoValues are a field's values before and after, of which one may be missing.
type twoValues struct{ old, now *entity.Value }

// editedValues yields, in the order of the new fields and then of those that are gone, the
// fields in whose values sameDeclared entities differ: not those that come in with their
// default or go with it, nor those whose lines were kept, or are kept now, without a
// declaration.
func editedValues(c entity.Change) iter.Seq2[*entity.Field, twoValues] {
	return func(yield func(*entity.Field, twoValues) bool) {
		for i, f := range c.New.Layout.Fields {
			now := &c.New.Values[i]
			was := c.Old.Layout.Index(f.Name)
			switch {
			case was >= 0 && c.Old.Values[was].Equal(*now):
			case was >= 0:
				if !yield(f, twoValues{&c.Old.Values[was], now}) {
					return
				}
			case !now.Equal(f.DefaultValue()) && !hasRaw(c.Old, f.Name):
				if !yield(f, twoValues{nil, now}) {
					return
				}
			}
		}
		for i, f := range c.Old.Layout.Fields {
			old := &c.Old.Values[i]
			if c.New.Layout.Index(f.Name) < 0 && !old.Equal(f.DefaultValue()) && !hasRaw(c.New, f.Name) &&
				!yield(f, twoValues{old, nil}) {
				return
			}
		}
	}
}

// upgraded returns old as an upgrade alone makes it, to the revision of now; old itself where
// there is no such upgrade, or the declaration of now has no place for all of its values.
func upgraded(old, now *entity.Entity) *entity.Entity {
	read := textcodec.Reread(old, entity.NewTypes(now.Layout.Type))
	if len(read.Unknown) > len(old.Unknown) || len(textcodec.Unfit(old, read)) > 0 {
		return old
	}
	up, err := textcodec.Upgrade(read)
	if err != nil || up.Layout != now.Layout {
		return old
	}
	return up
}

func hasRaw(e *entity.Entity, field string) bool {
	return slices.ContainsFunc(e.Unknown, func(r entity.Raw) bool { return r.Name == field })
}

// rawBeside returns the lines of an entity's fields that neither it nor the other has
// declared.
func rawBeside(e, other *entity.Entity) []entity.Raw {
	return slices.DeleteFunc(slices.Clone(e.Unknown), func(r entity.Raw) bool { return other.Layout.Index(r.Name) >= 0 })
}

// redeclared writes a row for entities whose declaration changed.
func (t *table) redeclared(d Redeclared) {
	n := len(d.Changes)
	t.count.redeclared += n
	t.rows = append(t.rows, row{who: printable(d.Type), field: "declaration",
		what: []piece{{yellow, printable(otherFields(d.Changes[0]))}},
		note: fmt.Sprintf("in %s %s", humanize.Comma(int64(n)), plural(n, "entity", "entities"))})
}

// otherFields says how the declarations of a change differ.
func otherFields(c entity.Change) string {
	names := append(missing("+ ", c.New, c.Old), missing("- ", c.Old, c.New)...)
	switch {
	case len(names) == 0:
		return "its fields in another order"
	case len(c.New.Layout.Fields) == 0:
		return "gone, or does not parse: fields are kept as lines"
	case len(c.Old.Layout.Fields) == 0:
		return "there now: fields were kept as lines"
	}
	return strings.Join(names, ", ")
}

// missing returns the names of the fields of e that other does not have.
func missing(mark string, e, other *entity.Entity) (names []string) {
	for _, f := range e.Layout.Fields {
		if other.Layout.Index(f.Name) < 0 {
			names = append(names, mark+f.Name)
		}
	}
	return names
}

// edits writes what was edited in an entity that is read by another declaration, or at another
// revision, too.
func (t *table) edits(c entity.Change) {
	for f, v := range editedValues(c) {
		t.count.properties++
		switch {
		case v.old == nil:
			t.add(f.Name, piece{green, "+ " + brief(&f.Shape, *v.now)})
		case v.now == nil:
			t.add(f.Name, piece{red, "- " + brief(&f.Shape, *v.old)})
		case c.Old.Layout.Fields[c.Old.Layout.Index(f.Name)].Kind != f.Kind:
			was := c.Old.Layout.Fields[c.Old.Layout.Index(f.Name)]
			t.add(f.Name, piece{red, brief(&was.Shape, *v.old)}, piece{plain, " → "}, piece{green, brief(&f.Shape, *v.now)})
		default:
			t.set(c.New.Layout, c.New.Layout.Index(f.Name), entity.Change{Op: entity.OpSet, ID: c.ID, Field: f.Name, From: *v.old, To: *v.now})
		}
	}
	if old, now := rawBeside(c.Old, c.New), rawBeside(c.New, c.Old); !slices.Equal(old, now) {
		t.property(nil, entity.Change{Op: entity.OpRaw, ID: c.ID, Old: c.Old, New: c.New})
	}
}
