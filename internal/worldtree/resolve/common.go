package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
	"github.com/worldfs/worldfs/textcodec"
)

// A commit that was picked, or rebased after another had merged it, is on both sides twice,
// as two commits. An entity that it made is not in what the sides come of, but both are
// edits of the one that it made: that is its base, so that it is not taken for two entities
// of one ID, nor what deleted it for nothing.

// withCommon has the base have the entities that commits on both sides have made alike,
// each as the newest of these has it, and returns them.
func withCommon(root string, ours, theirs string, sides *[3]*worldform.World) (map[entity.ID]*entity.Entity, error) {
	made := madeSince(sides)
	if len(made) == 0 {
		return nil, nil
	}
	q := worldform.TextQuery()
	q.Names = []string{"entities"}
	q.Want = func(name string) bool {
		id, ok := entityOf(name)
		return ok && made[id]
	}
	given, err := vcs.Git{Dir: root}.BothGave(ours, theirs, q)
	if err != nil || len(given[0].Files) == 0 {
		return nil, err
	}
	var versions [2]map[entity.ID][]*entity.Entity
	for i, tree := range given {
		if versions[i], err = readVersions(tree, sides[1].Types); err != nil {
			return nil, err
		}
	}
	common := make(map[entity.ID]*entity.Entity)
	for id, newest := range versions[0] {
		if i := slices.IndexFunc(newest, func(e *entity.Entity) bool {
			return slices.ContainsFunc(versions[1][id], e.Same)
		}); i >= 0 {
			common[id] = newest[i]
		}
	}
	base := *sides[0]
	base.Source = entity.NewOverlay(base.Source, common)
	sides[0] = &base
	return common, nil
}

// readVersions reads what a file was, the newest first; what cannot be read is left out.
func readVersions(tree *vcs.Tree, types *entity.Types) (map[entity.ID][]*entity.Entity, error) {
	versions := make(map[entity.ID][]*entity.Entity)
	for f, err := range tree.Read(tree.Files) {
		if err != nil {
			return nil, err
		}
		id, _ := entityOf(f.Name)
		if read, err := textcodec.Decode(f.Data, id, types); err == nil {
			versions[id] = append(versions[id], read.Entity)
		}
	}
	return versions, nil
}

// madeSince returns the entities that the base lacks and that the sides do not have alike.
func madeSince(sides *[3]*worldform.World) map[entity.ID]bool {
	made := make(map[entity.ID]bool)
	for _, side := range sides[1:] {
		for base, e := range entity.Differing(sides[0].Source, side.Source) {
			if base == nil {
				made[e.ID] = true
			}
		}
	}
	for id := range made {
		ours, in := sides[1].Source.Get(id)
		if theirs, also := sides[2].Source.Get(id); in && also && ours.Same(theirs) {
			delete(made, id)
		}
	}
	return made
}

// isCommon reports whether the base has an entity by withCommon alone.
func (r *Resolution) isCommon(id entity.ID) bool {
	git, ok := r.control.(*gitControl)
	return ok && git.common[id] != nil
}
