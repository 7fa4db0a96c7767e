package worldform

import (
	"bytes"
	"iter"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/packfile"
	"github.com/worldfs/worldfs/textcodec"
)

// texts are the texts of a world's entities, by the IDs that git gives to them. Under
// the world's types each says what the entity is and nothing besides: there is no
// finding about it. A revision that has such a text need not be read.
type texts struct {
	format  vcs.ObjectFormat
	objects map[entity.ID]string
}

// textsAs returns the texts of a world. One that was not made of texts has canonical
// ones.
func (w *World) textsAs(format vcs.ObjectFormat) *texts {
	if w.texts == nil || w.texts.format != format {
		w.texts = canonicalTexts(w, format)
	}
	return w.texts
}

func canonicalTexts(w *World, format vcs.ObjectFormat) *texts {
	known := &texts{format, make(map[entity.ID]string, w.Source.Len())}
	var text []byte
	for e := range w.Source.All() {
		if !readsBack(e, w.Types) {
			continue
		}
		if text = textcodec.Append(text[:0], e); len(text) <= cache.MaxFileSize {
			known.objects[e.ID] = format.ObjectOf(text)
		}
	}
	return known
}

// readsBack reports whether the canonical text of an entity is sure to be read, under
// the types, as that entity and with no finding.
func readsBack(e *entity.Entity, types *entity.Types) bool {
	l := e.Layout
	if l.Type.Unknown || types.Get(l.Type.Name) != l.Type || l.Revision > l.Type.Revision || len(e.Unknown) > 0 {
		return false
	}
	for i, f := range l.Fields {
		if f.SaveWhen != "" && !e.Values[i].IsNull() && !e.SavesField(i) {
			return false
		}
	}
	return true
}

// SameDeclaration reports whether two types are declared alike.
func SameDeclaration(t, u *entity.Type) bool {
	return t == u || t != nil && u != nil && !t.Unknown && !u.Unknown &&
		bytes.Equal(interchange.AppendType(nil, t), interchange.AppendType(nil, u))
}

// sameTypes reports whether all types of one world are those of another.
func sameTypes(in, types *entity.Types) bool {
	for _, t := range in.All() {
		if types.Get(t.Name) != t {
			return false
		}
	}
	return true
}

// sameType reports whether the type of an entity is the same in another world.
func sameType(w *World, types *entity.Types, id entity.ID) bool {
	e, ok := w.Source.Get(id)
	return ok && types.Get(e.Type()) == e.Layout.Type
}

// idsOf returns the IDs of a source's entities: a pack has them without its entities.
func idsOf(s entity.Source) iter.Seq[entity.ID] {
	if p, ok := s.(*packfile.Pack); ok {
		return p.IDs()
	}
	return func(yield func(entity.ID) bool) {
		for e := range s.All() {
			if !yield(e.ID) {
				return
			}
		}
	}
}

// withOthers returns a world that has some of the entities of another world, and
// others besides.
func withOthers(under entity.Source, some map[entity.ID]bool, others iter.Seq[*entity.Entity]) *entity.Overlay {
	changes := make(map[entity.ID]*entity.Entity)
	for id := range idsOf(under) {
		if !some[id] {
			changes[id] = nil
		}
	}
	for e := range others {
		changes[e.ID] = e
	}
	return entity.NewOverlay(under, changes)
}

// Object returns the ID that git gives to an entity's text, where the world was made of
// such texts and this one says what the entity is and nothing besides.
func (w *World) Object(id entity.ID) (string, bool) {
	if w.texts == nil {
		return "", false
	}
	object, ok := w.texts.objects[id]
	return object, ok
}
