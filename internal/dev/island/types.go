package island

import "github.com/worldfs/worldfs/entity"

// Types returns the types of the island's entities, made anew by every call.
func Types() *entity.Types {
	return entity.NewTypes(
		settings(), sun(), group(), startPoint(), camera(), sound(),
		door(), panel(), trigger(), cable(), path(), note(),
		lamp(), emitter(),
		buildingPiece(), stairs(), railing(), bridge(), boat(), pool(), decal(),
		tree(), rock(), grassCluster(), terrainPatch(),
	)
}
