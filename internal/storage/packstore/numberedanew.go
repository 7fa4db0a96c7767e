package packstore

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/packfile"
)

// isNumberedAnew reports whether the IDs of p are numbers from 1, with few left out, and
// those of the editor's world are not, and most of p are entities that have other IDs there.
//
// That an entity is another than the one of its ID in the editor's world says nothing by
// itself: a program may have changed most of a world.
func isNumberedAnew(p, editor *packfile.Pack) bool {
	highest := lastID(p)
	if highest == 0 || uint64(highest) > 2*uint64(p.Len()) || lastID(editor) <= highest {
		return false
	}
	fields := commonFields(p, editor)
	return 2*fields.others(p, editor) > p.Len() && 2*fields.moved(p, editor) > p.Len()
}

func lastID(p *packfile.Pack) (last entity.ID) {
	for id := range p.IDs() {
		last = id
	}
	return last
}

// others returns how many entities of p are others than the ones of their IDs in the
// editor's world.
func (fields fieldsOf) others(p, editor *packfile.Pack) (n int) {
	for e := range p.All() {
		if !fields.isIn(editor, e) {
			n++
		}
	}
	return n
}

// moved returns how many entities of p are ones of the editor's world that are not under
// their IDs any more. Each of those counts once.
func (fields fieldsOf) moved(p, editor *packfile.Pack) (n int) {
	had := make(map[string]*occurrence)
	for e := range editor.All() {
		content := fields.content(e)
		if had[content] == nil {
			had[content] = new(occurrence)
		}
		had[content].all++
		if !fields.isIn(p, e) {
			had[content].gone++
		}
	}
	for e := range p.All() {
		from := had[fields.content(e)]
		if from == nil || from.gone == 0 || fields.isIn(editor, e) {
			continue
		}
		if was, ok := editor.Get(e.ID); ok && was.Type() == e.Type() && from.all > 1 {
			continue // what several have it may have been changed to
		}
		from.gone--
		n++
	}
	return n
}

// isIn reports whether a pack has under the ID of e an entity that is alike.
func (fields fieldsOf) isIn(p *packfile.Pack, e *entity.Entity) bool {
	other, ok := p.Get(e.ID)
	return ok && fields.areAlike(e, other)
}

// occurrence is how many entities have the same values: all, and those that are gone from
// under their IDs.
type occurrence struct{ all, gone int }

// fieldsOf are the fields of each type by which entities of two packs are compared.
type fieldsOf map[string][]*entity.Field

// commonFields returns the fields that entities of both packs have, at each revision at
// which there are any, but for those with refs: where entities are numbered anew these are
// others.
func commonFields(packs ...*packfile.Pack) fieldsOf {
	common := make(fieldsOf)
	for _, p := range packs {
		for _, t := range p.Tables() {
			l := t.Layout()
			fields, ok := common[l.Type.Name]
			if !ok {
				fields = slices.Clone(l.Fields)
			}
			common[l.Type.Name] = slices.DeleteFunc(fields, func(f *entity.Field) bool {
				at := l.Index(f.Name)
				return at < 0 || f.Shape.Declares(isRef) || !isSameShape(&f.Shape, &l.Fields[at].Shape)
			})
		}
	}
	return common
}

func isRef(k entity.Kind) bool { return k == entity.KindRef }

// isSameShape reports whether values of two shapes can be the same.
func isSameShape(a, b *entity.Shape) bool {
	if a.Kind != b.Kind || (a.Of == nil) != (b.Of == nil) || a.Of != nil && !isSameShape(a.Of, b.Of) {
		return false
	}
	return slices.EqualFunc(a.Fields, b.Fields, func(f, g *entity.Field) bool {
		return f.Name == g.Name && isSameShape(&f.Shape, &g.Shape)
	})
}

// areAlike reports whether two entities have the same type and the same values.
func (fields fieldsOf) areAlike(a, b *entity.Entity) bool {
	if a.Type() != b.Type() {
		return false
	}
	for _, f := range fields[a.Type()] {
		if !a.Value(f.Name).Equal(b.Value(f.Name)) {
			return false
		}
	}
	return true
}

// content returns what entities that are alike have in common, and no others.
func (fields fieldsOf) content(e *entity.Entity) string {
	content := append([]byte(e.Type()), 0)
	for _, f := range fields[e.Type()] {
		content = append(interchange.AppendValue(content, &f.Shape, e.Value(f.Name)), ',')
	}
	return string(content)
}
