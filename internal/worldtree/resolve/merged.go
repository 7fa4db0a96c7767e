package resolve

import (
	"bytes"
	"maps"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// svn merge leaves what it merged without conflict as if a person had edited it. It is known
// by being what comes of the three texts so, line by line or, where vcs install has set svn
// up, by property; and gives way. Where a person has edited the file besides, before the merge
// or since, that is their edit of what comes of the three by property.

// yieldMerged has texts that svn merged by itself be as it left them, for bringing the merged
// world home.
func (r *Resolution) yieldMerged(working *worldform.World, states map[entity.ID]state, was map[entity.ID]*entity.Entity) error {
	if _, svn := r.control.(svnControl); !svn || r.Operation.Kind != vcs.Merging {
		return nil
	}
	names := r.files.names()
	var edited []entity.ID
	for id := range changedByBoth(r.sides) {
		if states[id] != untouched || len(names[id]) != 1 || r.isHome(working, id) {
			continue
		}
		texts, err := r.textsOf(id, names[id][0], r.files.object)
		if err != nil {
			return err
		}
		if texts == nil {
			continue
		}
		merged, clean := filemerge.MergeLines(texts[0], texts[1], texts[2])
		switch {
		case clean && bytes.Equal(merged, texts[3]) || r.isByDriver(id, [3][]byte(texts[:3]), func(merged []byte, clean bool) bool {
			return clean && bytes.Equal(merged, texts[3])
		}):
			was[id], _ = working.Source.Get(id)
		case bytes.Equal(texts[1], texts[3]): // reverted: it is merged again
		case r.files.staged[names[id][0]].Object == r.objectOf(1, id):
			edited = append(edited, id)
		}
	}
	alone, err := filemerge.Alone(worldform.Sides(r.sides), edited)
	maps.Copy(was, alone)
	return err
}
