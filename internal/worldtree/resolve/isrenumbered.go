package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/keptfile"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/renumbered"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// IsRenumbered reports whether the entity of a file, named from the world's root, got another
// ID in a merge that is remembered: what comes in may be about that one. The file by itself
// does not tell.
func IsRenumbered(root, name string) bool {
	id, ok := layout.EntityOf(name)
	if !ok {
		return false
	}
	all, _, _ := keptfile.Read[record](worlddir.Known(root, entity.GUID{}), worlddir.ResolvedName) // a damaged one is told by worldfs resolve
	return slices.ContainsFunc(all, func(r *record) bool {
		return slices.ContainsFunc(r.Renumbered, func(x renumbered.Entity) bool { return x.From == id })
	})
}
