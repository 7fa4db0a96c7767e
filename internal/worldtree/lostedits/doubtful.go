package lostedits

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// Doubtful returns the entities of which a merge may have cost edits: those that did not come
// out as the one side has them that changed them. The trees are base, ours, theirs, and what
// came of them.
func Doubtful(trees [4]*vcs.Tree) map[entity.ID]bool {
	var objects [4]map[entity.ID]string
	all := make(map[entity.ID]bool)
	for i, tree := range trees {
		objects[i] = make(map[entity.ID]string)
		for _, f := range tree.Files {
			if id, ok := layout.EntityOf(f.Name); ok {
				objects[i][id] = f.Object
				all[id] = true
			}
		}
	}
	for id := range all {
		base, ours, theirs, result := objects[0][id], objects[1][id], objects[2][id], objects[3][id]
		switch {
		case ours == theirs && result == ours, base == ours && result == theirs, base == theirs && result == ours:
			delete(all, id)
		}
	}
	return all
}

// IsLacking reports whether a world is as it was before a change.
func IsLacking(world entity.Source, c entity.Change) bool {
	e, ok := world.Get(c.ID)
	switch {
	case c.Op == entity.OpCreate:
		return !ok
	case !ok:
		return false
	case c.Op == entity.OpDelete || c.Op == entity.OpReplace:
		return e.Same(c.Old)
	}
	return c.Fits(e) && !c.On(e).Same(e)
}
