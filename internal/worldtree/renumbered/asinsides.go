package renumbered

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// AsInSides gives entities of the world of a commit before both sides of an operation the IDs
// that they have there. Where only one side has given an entity another, that is it.
func AsInSides(git vcs.Git, op *vcs.Operation, earlier []Entity, commit string, w *worldform.World) *worldform.World {
	f := newFollowing(git, op, &[3]*worldform.World{w, w, w})
	ids := make(map[entity.ID]entity.ID)
	for _, x := range earlier {
		if _, has := w.Source.Get(x.From); !has {
			continue
		}
		to := f.trace(1, commit, x.From, earlier)
		if to == x.From && op.Kind == vcs.Merging {
			to = f.trace(2, commit, x.From, earlier)
		}
		if to != x.From {
			ids[x.From] = to
		}
	}
	if len(ids) == 0 {
		return w
	}
	return w.WithIDs(closed(ids, w.Source))
}
