// Package reference finds the refs of entities and where they stand, and replaces those in
// values.
package reference

import (
	"fmt"

	"github.com/worldfs/worldfs/entity"
)

// Ref is a ref of an entity to another, or to itself.
type Ref struct {
	From   *entity.Entity
	Path   string // where it stands, as expressions spell it: targets[2], links[0].to
	To     entity.ID
	Direct bool // From follows what it refers to, as what is mounted follows its parent
}

// Of returns the refs of an entity that refer to something, in the order of its fields.
// What its type does not know has none.
func Of(e *entity.Entity) []Ref {
	var refs []Ref
	for i, f := range e.Layout.Fields {
		each(f.Name, &f.Shape, e.Values[i], func(path string, s *entity.Shape, to entity.ID) {
			refs = append(refs, Ref{e, path, to, s.Direct})
		})
	}
	return refs
}

// To returns the refs of a world's entities to any of some, in the order of the entities
// that have them. It reads every entity once.
func To(world entity.Source, ids map[entity.ID]bool) []Ref {
	var refs []Ref
	for e := range world.All() {
		for _, r := range Of(e) {
			if ids[r.To] {
				refs = append(refs, r)
			}
		}
	}
	return refs
}

func each(path string, s *entity.Shape, v entity.Value, do func(string, *entity.Shape, entity.ID)) {
	switch v.Kind() {
	case entity.KindRef:
		if v.Ref() != 0 {
			do(path, s, v.Ref())
		}
	case entity.KindSet, entity.KindArray:
		for i, item := range v.Items() {
			each(fmt.Sprintf("%s[%d]", path, i), s.Of, item, do)
		}
	case entity.KindStruct:
		for i, f := range s.Fields {
			each(path+"."+f.Name, &f.Shape, v.Items()[i], do)
		}
	}
}
