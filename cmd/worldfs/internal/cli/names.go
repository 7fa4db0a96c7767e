package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/internal/support/spelling"
)

// Vocabulary is what names in a call can stand for: the types of one world or of several.
type Vocabulary struct {
	all      *entity.Types
	selected *entity.Types // those that the call is about
	worlds   []entity.Source
}

// NewVocabulary returns the names that the types of worlds have. Of a type that is declared
// in several, what any of them says is known.
func NewVocabulary(worlds ...*entity.Types) *Vocabulary {
	v := &Vocabulary{all: &entity.Types{}}
	for _, types := range worlds {
		for _, t := range types.All() {
			v.all.Put(joined(v.all.Get(t.Name), t))
		}
	}
	v.selected = v.all
	return v
}

// joined returns a type with the fields of two declarations of it.
func joined(a, b *entity.Type) *entity.Type {
	if a == nil || a == b || a.Unknown {
		return b
	}
	return &entity.Type{Name: b.Name, Revision: max(a.Revision, b.Revision), Fields: slices.Concat(b.Fields, a.Fields)}
}

// isEmpty reports whether no type is known here that has fields: then no name is known to
// be wrong.
func (v *Vocabulary) isEmpty() bool {
	return !slices.ContainsFunc(v.all.All(), func(t *entity.Type) bool { return !t.Unknown })
}

// Select has the call be about some types, of which there must be each; all for none. flag
// is where they are named.
func (v *Vocabulary) Select(flag string, names ...string) error {
	if err := v.CheckTypes(flag, names...); err != nil || len(names) == 0 {
		return err
	}
	v.selected = &entity.Types{}
	for _, name := range names {
		if t := v.all.Get(name); t != nil {
			v.selected.Put(t)
		} else {
			v.selected.Put(entity.UnknownType(name))
		}
	}
	return nil
}

// In has types count that are not declared, and that entities of a world are of.
func (v *Vocabulary) In(worlds ...entity.Source) *Vocabulary {
	v.worlds = append(v.worlds, worlds...)
	return v
}

// has reports whether there is a type of that name: declared, or only in entities.
func (v *Vocabulary) has(name string) bool {
	if v.all.Get(name) != nil {
		return true
	}
	for _, w := range v.worlds {
		for e := range w.All() {
			if e.Type() == name {
				return true
			}
		}
	}
	return false
}

// CheckTypes returns an error of usage if one of the names is that of no type.
func (v *Vocabulary) CheckTypes(flag string, names ...string) error {
	for _, name := range names {
		if !v.isEmpty() && !v.has(name) {
			return Usagef("%s: there is no type %s%s", flag, name, spelling.DidYouMean(name, v.all.Names()))
		}
	}
	return nil
}

// CheckFields returns an error of usage if one of the names, or paths, is that of a field
// that no selected type has.
func (v *Vocabulary) CheckFields(flag string, paths ...string) error {
	for _, path := range paths {
		if v.isEmpty() {
			return nil
		}
		if m := expression.MisnamedField(path, v.selected, v.all); m != nil {
			return Usagef("%s: %s", flag, m)
		}
	}
	return nil
}

// CheckFieldNames is CheckFields of whole fields: a path is none.
func (v *Vocabulary) CheckFieldNames(flag string, names ...string) error {
	for _, name := range names {
		if !v.isEmpty() && !slices.ContainsFunc(v.selected.All(), func(t *entity.Type) bool { return hasField(t, name) }) {
			return Usagef("%s: no type has a field %s%s", flag, name, spelling.DidYouMean(name, v.fieldNames))
		}
	}
	return nil
}

func hasField(t *entity.Type, name string) bool {
	return slices.ContainsFunc(t.Fields, func(f *entity.Field) bool { return f.Name == name })
}

// fieldNames yields the names of the selected types' fields.
func (v *Vocabulary) fieldNames(yield func(string) bool) {
	for _, t := range v.selected.All() {
		for _, f := range t.Fields {
			if !yield(f.Name) {
				return
			}
		}
	}
}

// Check returns an error of usage if a name in an expression stands for nothing in any
// selected type: the expression would never say what was meant. Where no type is known, it
// is only noted.
func (v *Vocabulary) Check(note func(string), flag string, x *expression.Program) error {
	if x == nil {
		return nil
	}
	if v.isEmpty() {
		noteUndeclared(note, x, v.all)
		return nil
	}
	var wrong []string
	for _, m := range x.Misnamed(v.selected, v.all) {
		if m.What != "type" || !v.has(m.Name) {
			wrong = append(wrong, m.String())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return Usagef("%s%s: %s", flag, x, strings.Join(wrong, "; "))
}

// CheckWhere is Check of --where.
func (v *Vocabulary) CheckWhere(note func(string), where *Selection) error {
	return v.Check(note, "--where: ", where.x)
}

// CheckAssignment is Check of what is assigned, and CheckFields of what it is assigned to.
func (v *Vocabulary) CheckAssignment(note func(string), a Assignment) error {
	if err := v.CheckFields(fmt.Sprintf("%s = %s", a.Path, a.value), a.Path); err != nil {
		return err
	}
	return v.Check(note, "", a.value)
}
