// Package search finds entities by texts, as people remember them: by an ID, a type, a name,
// any string, the name of an enum's value or of a flag that is set, and by what an entity
// refers to. Whether letters are upper or lower case counts for nothing.
//
// An entity is found where it has all of the texts, each wherever it likes.
package search

import (
	"iter"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/reference"
)

// Query is what is looked for.
type Query struct{ texts []string } // in lower case, none empty

// New returns a query for entities that have all of the texts, of which there are at most
// MaxTexts.
func New(texts ...string) Query {
	var q Query
	for _, text := range texts {
		if text = strings.ToLower(strings.TrimSpace(text)); text != "" {
			q.texts = append(q.texts, text)
		}
	}
	return q
}

// IsEmpty reports whether nothing is looked for.
func (q Query) IsEmpty() bool { return len(q.texts) == 0 }

// Place is where an entity has one of the texts.
type Place struct {
	Field string         // id, type, or the path of the field
	Text  string         // what stands there
	To    *entity.Entity // what the field refers to, where that has the text; nil: the field has it
}

// Found is an entity that was found, and where it has the texts.
type Found struct {
	Entity *entity.Entity
	Places []Place
}

// Has reports whether an entity itself has all of the texts.
func (q Query) Has(e *entity.Entity) bool {
	_, all := q.own(e)
	return all
}

// In returns what is found in a world: first the entities that have all of the texts
// themselves, then those that have some only in what they refer to, which has a text where it
// is its ID or in its name. It reads every entity once, and where something may be referred
// to once more.
func (q Query) In(world entity.Source) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		if q.IsEmpty() {
			return
		}
		known := make(map[entity.ID]marks)
		for e := range world.All() {
			if m := q.called(e); m != 0 {
				known[e.ID] = m
			}
			if places, all := q.own(e); all && !yield(Found{e, places}) {
				return
			}
		}
		if len(known) > 0 {
			q.referring(world, known, yield)
		}
	}
}

// referring yields the entities that have some of the texts only in what they refer to;
// known are the entities that can be referred to by a text.
func (q Query) referring(world entity.Source, known map[entity.ID]marks, yield func(Found) bool) {
	for e := range world.All() {
		refers := false
		e.Refs(func(_ string, _ bool, to entity.ID) bool {
			_, refers = known[to]
			return !refers
		})
		if !refers {
			continue
		}
		l := look{texts: q.texts}
		l.entity(e)
		if l.found.all(q) {
			continue
		}
		for _, r := range reference.Of(e) {
			to, there := world.Get(r.To)
			if m := known[r.To]; m != 0 && there {
				l.found |= m
				l.places = append(l.places, Place{r.Path, to.String(), to})
			}
		}
		if l.found.all(q) && !yield(Found{e, l.places}) {
			return
		}
	}
}

// marks says which of a query's texts were found, a bit each.
type marks uint64

// MaxTexts is how many texts a query can have: more than a person gives.
const MaxTexts = 64

func (m marks) all(q Query) bool { return m == 1<<len(q.texts)-1 }

// called returns the texts by which a person may mean an entity: its whole ID, or a part of
// its name.
func (q Query) called(e *entity.Entity) (m marks) {
	id, name := e.ID.String(), strings.ToLower(e.Name())
	for i, text := range q.texts {
		if text == id || strings.Contains(name, text) {
			m |= 1 << i
		}
	}
	return m
}

// own returns where an entity itself has the texts, and whether it has all of them.
func (q Query) own(e *entity.Entity) (places []Place, all bool) {
	l := look{texts: q.texts}
	l.entity(e)
	return l.places, l.found.all(q) && len(q.texts) > 0
}

// look is a look at one entity.
type look struct {
	texts  []string
	found  marks
	places []Place
}

// at looks at one text of the entity's.
func (l *look) at(field, text string) {
	var m marks
	lower := strings.ToLower(text)
	for i, t := range l.texts {
		if strings.Contains(lower, t) {
			m |= 1 << i
		}
	}
	if m != 0 {
		l.found |= m
		l.places = append(l.places, Place{Field: field, Text: text})
	}
}

func (l *look) entity(e *entity.Entity) {
	l.at("id", e.ID.String())
	l.at("type", e.Type())
	for i, f := range e.Layout.Fields {
		l.value(f.Name, &f.Shape, e.Values[i])
	}
	for _, raw := range e.Unknown {
		l.at(raw.Name, strings.TrimSpace(raw.Lines))
	}
}

// value looks at every text in a value. Elements of lists go by the name of the list.
func (l *look) value(path string, s *entity.Shape, v entity.Value) {
	switch v.Kind() {
	case entity.KindString, entity.KindExpr:
		l.at(path, v.Text())
	case entity.KindGUID:
		l.at(path, v.GUID().Dashed())
	case entity.KindEnum:
		if name, ok := s.NameOf(v.Int()); ok {
			l.at(path, name)
		}
	case entity.KindFlags:
		for _, name := range s.Names {
			if v.Uint()>>name.Number&1 != 0 {
				l.at(path, name.Name)
			}
		}
	case entity.KindSet, entity.KindArray:
		for _, item := range v.Items() {
			l.value(path, s.Of, item)
		}
	case entity.KindStruct:
		for i, f := range s.Fields {
			l.value(path+"."+f.Name, &f.Shape, v.Items()[i])
		}
	}
}
