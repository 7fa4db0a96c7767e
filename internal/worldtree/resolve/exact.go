package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/textcodec"
)

// readExact reads, where what was looked at ahead is taken in, or was left of that, the texts
// of entities that come out as others have shared them, as those have written them: then
// version control sees no difference. That goes for what the person has made alike, too, be it
// written in another way.
func (a *applying) readExact(ids []entity.ID) error {
	if !a.taking && a.Operation.Kind != vcs.Pulling {
		return nil // version control has put them there
	}
	tree := a.index.Tree(nil)
	var listed []vcs.Listed
	for _, id := range ids {
		object, ok := a.sides[1].Object(id)
		if !ok || a.left[id] {
			continue
		}
		shared, _ := a.sides[1].Source.Get(id)
		e, ok := a.home.Get(id)
		if !ok || shared == nil || !shared.Same(e) || shared.Layout.Type.Name != e.Layout.Type.Name {
			continue
		}
		if text := textcodec.Append(nil, e); vcs.FormatOf(object).ObjectOf(text) == object {
			a.exact[id] = text
			continue
		}
		listed = append(listed, vcs.Listed{Name: a.layout().Name(id), Object: object})
	}
	for f, err := range tree.Read(listed) {
		if err != nil {
			return err
		}
		if id, ok := layout.EntityOf(f.Name); ok {
			a.exact[id] = f.Data
		}
	}
	return nil
}

// writtenOtherwise returns the entities that both sides have alike and wrote in two ways.
func (a *applying) writtenOtherwise() (ids []entity.ID) {
	for b, e := range entity.Differing(a.sides[0].Source, a.sides[1].Source) {
		id := idOf(b, e)
		ours, ok := a.sides[1].Object(id)
		theirs, has := a.sides[2].Object(id)
		if ok && has && ours != theirs {
			ids = append(ids, id)
		}
	}
	return slices.Compact(ids)
}
