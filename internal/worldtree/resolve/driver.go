package resolve

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/filemerge"
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
