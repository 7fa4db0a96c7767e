package resolve

import (
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/gitsides"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// classifyAdded adds the entities that both sides changed and whose file a person has edited
// since git merged it without a conflict, and has added to the index: git has what no side
// has, and does not make it of them. Of what one side changed, readLeft knows with git.
func (r *Resolution) classifyAdded(working *worldform.World, states map[entity.ID]state) error {
	names := r.files.names()
	for id := range changedByBoth(r.sides) { // git has merged its file, and it is nowhere: a person has removed it
		_, all := r.objects(id)
		if _, wrote := r.past.Wrote[r.dir.Settings.Shard.Name(id)]; all && !wrote && len(names[id]) == 0 && !r.past.followed.Moved(id) {
			states[id] = persons
		}
	}
	var ids []entity.ID
	for id := range names {
		if states[id] != untouched || len(names[id]) != 1 || !r.isAdded(id, names[id][0]) {
			continue
		}
		if r.bothChanged(id) {
			if !r.isHome(working, id) {
				ids = append(ids, id)
			}
		} else if r.files.sides == nil {
			states[id] = persons
		}
	}
	if err := r.readTexts(ids, names, r.files.inIndex); err != nil {
		return err
	}
	for _, id := range ids {
		git, err := r.isByGit(id, names[id], r.files.inIndex)
		if err != nil {
			return err
		}
		if !git {
			states[id] = persons
		}
	}
	return nil
}

// isAdded reports whether the index has of an entity that all sides have what none of them
// has, and no earlier call has written.
func (r *Resolution) isAdded(id entity.ID, name string) bool {
	staged := r.files.staged[name].Object
	if staged == "" || staged == r.past.Wrote[name] || r.files.sides == nil && staged != r.files.object(name) {
		return false
	}
	objects, ok := r.objects(id)
	return ok && !slices.Contains(objects[:], staged)
}

// bothChanged reports whether git had to merge an entity's file.
func (r *Resolution) bothChanged(id entity.ID) bool {
	o, _ := r.objects(id)
	return o[0] != o[1] && o[0] != o[2] && o[1] != o[2]
}

// objects returns the objects of an entity's text in the base, ours and theirs, if all have it.
func (r *Resolution) objects(id entity.ID) (objects [3]string, ok bool) {
	if r.files.sides != nil {
		objects, err := r.files.sides.of(id)
		return objects, err == nil && !slices.Contains(objects[:], "") && objects[0] != gitsides.NotAlike
	}
	for i, side := range r.sides {
		if objects[i], ok = side.Object(id); !ok {
			return objects, false
		}
	}
	return objects, true
}
