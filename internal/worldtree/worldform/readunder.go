package worldform

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/textcodec"
)

// ReadUnder returns a world of texts with the entities that a later state of it has otherwise
// as their texts are read under the later one's types: a text that leaves out a field has that
// one's default, so that what a change of types makes of it is no edit. tree reads its texts.
func (w *World) ReadUnder(later *World, tree *vcs.Tree) (*World, error) {
	if sameTypes(w.Types, later.Types) && sameTypes(later.Types, w.Types) {
		return w, nil
	}
	var listed []vcs.Listed
	for was, is := range entity.Differing(w.Source, later.Source) {
		if was == nil || is == nil || SameDeclaration(w.Types.Get(was.Type()), later.Types.Get(was.Type())) {
			continue
		}
		if object, ok := w.Object(was.ID); ok {
			listed = append(listed, vcs.Listed{Name: layout.None.Name(was.ID), Object: object})
		}
	}
	read := make(map[entity.ID]*entity.Entity)
	for f, err := range tree.Read(listed) {
		if err != nil {
			return nil, err
		}
		id, _ := layout.EntityOf(f.Name)
		if res, err := textcodec.Decode(f.Data, id, later.Types); err == nil {
			read[id] = res.Entity
		}
	}
	under := *w
	under.Source = entity.NewOverlay(w.Source, read)
	return &under, nil
}
