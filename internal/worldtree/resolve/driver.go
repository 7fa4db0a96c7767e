package resolve

import (
	"maps"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// What git's merge driver (filemerge.File) has left is git's, as what git merges by itself: it
// is found out by merging the file once more.

// isByDriver reports whether what the driver makes of an entity's three texts is what is
// asked for. It decides conflicts only where it knows which side is shared.
func (r *Resolution) isByDriver(id entity.ID, texts [3][]byte, is func(merged []byte, clean bool) bool) bool {
	for _, options := range []merge.Options{{}, r.rules} {
		f := filemerge.File{Name: r.dir.Settings.Shard.Name(id), Base: texts[0], Ours: texts[1], Theirs: texts[2], Options: options}
		if f.IsPlain() {
			if merged, clean, err := f.MergeEntity(id, r.sides[1].Types); err == nil && is(merged, clean) {
				return true
			}
		}
	}
	return false
}

// editedSinceDriver returns the unmerged files in which the driver marked conflicts and
// which a person has edited since, some of the conflicts being there still.
func (r *Resolution) editedSinceDriver(broken []entity.ID) (map[string]bool, error) {
	var stages []vcs.Listed
	for _, name := range slices.Sorted(maps.Keys(r.files.driver)) {
		id, ok := layout.EntityOf(name)
		_, written := r.past.Wrote[name]
		if !ok || written || !r.files.driver[name] || slices.Contains(broken, id) {
			continue
		}
		if all := r.files.unmerged[name]; all[1].Object != "" && all[2].Object != "" && all[3].Object != "" {
			stages = append(stages, all[1].Listed, all[2].Listed, all[3].Listed)
		}
	}
	edited := make(map[string]bool)
	var texts [][]byte
	tree := r.index.Tree(stages)
	for f, err := range tree.Read(stages) {
		if err != nil {
			return nil, err
		}
		if texts = append(texts, f.Data); len(texts) == 3 {
			id, _ := layout.EntityOf(f.Name)
			edited[f.Name] = !r.isByDriver(id, [3][]byte(texts), func(merged []byte, _ bool) bool {
				return tree.Format().ObjectOf(merged) == r.files.object(f.Name)
			})
			texts = nil
		}
	}
	return edited, nil
}
